/** Which turns the log draws. */

import type { Session, Turn } from "../wire";

export interface Shown {
  readonly turn: Turn;
  /** Absolute index; -1: what came before the first prompt. */
  readonly index: number;
}

/**
 * What came before the first prompt, and the turns, but for replays of what stands in the records already (the
 * fold marks them as `told`; the static copies have the same rule) and for queued ones, which stand above the
 * composer.
 */
export function shownTurns(session: Session, first: number): readonly Shown[] {
  const shown: Shown[] = [];
  if (session.preamble !== null && first === 0) shown.push({ turn: session.preamble, index: -1 });
  session.turns.forEach((turn, index) => {
    if (turn.status !== "queued" && !turn.told) shown.push({ turn, index: first + index });
  });
  return shown;
}
