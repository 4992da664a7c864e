/** Which turns the log draws. */

import type { Session, Turn } from "../wire";

export interface Shown {
  readonly turn: Turn;
  /** Absolute index; -1: what came before the first prompt. */
  readonly index: number;
}

/** Queued turns stand above the composer; a replayed one is drawn unless what it replays stands before it. */
export function shownTurns(session: Session, first: number): readonly Shown[] {
  const live = new Set<string | null>();
  const shown: Shown[] = [];
  if (session.preamble !== null && first === 0) shown.push({ turn: session.preamble, index: -1 });
  session.turns.forEach((turn, index) => {
    if (turn.status === "queued") return;
    if (!turn.replayed) live.add(turn.session_id);
    else if (turn.told || live.has(turn.session_id)) return;
    shown.push({ turn, index: first + index });
  });
  return shown;
}
