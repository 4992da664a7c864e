/** Which steps of a turn belong together: three or more done calls in a row, with the thoughts between them. */

import type { Item } from "../wire";

export interface Run {
  readonly first: number;
  /** One past the last item. */
  readonly end: number;
  readonly steps: number;
  readonly seconds: number;
}

const LEAST = 3;

/**
 * @param open true while more may come: the run at the end is then still growing and left out
 */
export function runsOf(items: readonly Item[], open: boolean): readonly Run[] {
  const runs: Run[] = [];
  let first = -1;
  let last = -1;
  let steps = 0;

  function close(): void {
    if (steps >= LEAST) runs.push({ first, end: last + 1, steps, seconds: secondsOf(items, first, last) });
    first = -1;
    steps = 0;
  }

  items.forEach((item, index) => {
    if (item.kind === "tool_call" && item.call.state === "output-available") {
      if (first < 0) first = index;
      last = index;
      steps += 1;
    } else if (item.kind !== "thought" || item.streaming) {
      close();
    }
  });
  if (!open) close();
  return runs;
}

function secondsOf(items: readonly Item[], first: number, last: number): number {
  const start = items[first]?.started ?? 0;
  let end = start;
  for (let index = first; index <= last; index += 1) end = Math.max(end, items[index]?.ended ?? start);
  return end - start;
}
