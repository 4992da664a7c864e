/** The turns that were loaded; of many the longest unseen are let go. */

import type { TurnPart } from "./wire";

export interface HeldTurns {
  get(index: number): TurnPart | undefined;
  keep(part: TurnPart): void;
  /** Begins anew with these. */
  reset(parts: readonly TurnPart[]): void;
  /** Says which turns are on the screen. */
  shows(first: number, last: number): void;
  readonly window: { readonly first: number; readonly last: number };
  all(): readonly TurnPart[];
  /** The newest of them that fit into a saved notebook, in order. */
  saved(): readonly TurnPart[];
}

const KEPT = 80;
/** Characters of turns that a saved notebook gets. */
const SAVED = 500_000;

export function createHeldTurns(): HeldTurns {
  let turns = new Map<number, TurnPart>();
  let shown = { first: 0, last: -1 };
  return {
    get: (index) => turns.get(index),
    keep(part) {
      turns.delete(part.index);
      turns.set(part.index, part);
      for (const index of turns.keys()) {
        if (turns.size <= KEPT || (index >= shown.first && index <= shown.last)) break;
        turns.delete(index);
      }
    },
    reset(parts) {
      turns = new Map(parts.map((part) => [part.index, part]));
    },
    shows(first, last) {
      shown = { first, last };
    },
    get window() {
      return shown;
    },
    all: () => [...turns.values()],
    saved() {
      let room = SAVED;
      const kept: TurnPart[] = [];
      for (const part of [...turns.values()].reverse()) {
        room -= JSON.stringify(part).length;
        if (room < 0) break;
        kept.push(part);
      }
      return kept.sort((a, b) => a.index - b.index);
    },
  };
}
