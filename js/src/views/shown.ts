/** Which turns the log draws. */

import type { Session, Turn } from "../wire";

export interface Shown {
  readonly turn: Turn;
  /** Absolute index; -1: what came before the first prompt. */
  readonly index: number;
}

/** Queued turns stand above the composer; a replayed one is drawn only if its session has no live ones. */
export function shownTurns(session: Session, first: number): readonly Shown[] {
  const live = new Set(session.turns.filter((turn) => !turn.replayed).map((turn) => turn.session_id));
  const shown: Shown[] = [];
  if (session.preamble !== null && first === 0) shown.push({ turn: session.preamble, index: -1 });
  session.turns.forEach((turn, index) => {
    if (turn.status === "queued" || (turn.replayed && live.has(turn.session_id))) return;
    shown.push({ turn, index: first + index });
  });
  return shown;
}
