/**
 * Shortest edits between two sequences of numbers, with limits.
 *
 * Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986) where the edit is
 * small; where it is not, the sequences are cut at elements that occur once in each (as in patience
 * diff); what is still too far apart counts as replaced.
 */

/** A stretch that was replaced: old elements `a0..a1`, new elements `b0..b1`; the rest is equal. */
export interface Change {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

type Numbers = ArrayLike<number>;

interface Job {
  readonly a: Numbers;
  readonly b: Numbers;
  /** Steps that may still be spent; shared by all parts, so that the whole is bounded. */
  budget: number;
  readonly changes: Change[];
}

/** Edits longer than this are not searched for in one piece: the trace takes its square in memory. */
const LONGEST = 600;

export function changes(a: Numbers, b: Numbers, budget = 4_000_000): readonly Change[] {
  const job: Job = { a, b, budget, changes: [] };
  compare(job, 0, a.length, 0, b.length);
  return merge(job.changes);
}

function merge(list: readonly Change[]): readonly Change[] {
  const merged: Change[] = [];
  for (const change of list) {
    const last = merged.at(-1);
    if (last && last.a1 === change.a0 && last.b1 === change.b0)
      merged[merged.length - 1] = { a0: last.a0, a1: change.a1, b0: last.b0, b1: change.b1 };
    else merged.push(change);
  }
  return merged;
}

function compare(job: Job, a0: number, a1: number, b0: number, b1: number): void {
  const { a, b } = job;
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) {
    a0 += 1;
    b0 += 1;
  }
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) {
    a1 -= 1;
    b1 -= 1;
  }
  if (a0 === a1 && b0 === b1) return;
  if (a0 === a1 || b0 === b1) {
    job.changes.push({ a0, a1, b0, b1 });
    return;
  }
  if (greedy(job, a0, a1, b0, b1)) return;
  const anchors = uniqueAnchors(job, a0, a1, b0, b1);
  if (anchors.length === 0) {
    job.changes.push({ a0, a1, b0, b1 });
    return;
  }
  let x = a0;
  let y = b0;
  for (const [anchorA, anchorB] of anchors) {
    compare(job, x, anchorA, y, anchorB);
    x = anchorA + 1;
    y = anchorB + 1;
  }
  compare(job, x, a1, y, b1);
}

/** Myers' search; false if the edit is longer than allowed. */
function greedy(job: Job, a0: number, a1: number, b0: number, b1: number): boolean {
  const { a, b } = job;
  const n = a1 - a0;
  const m = b1 - b0;
  const limit = Math.min(n + m, LONGEST);
  const reach = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  const middle = limit + 1;
  for (let d = 0; d <= limit; d += 1) {
    trace.push(reach.slice(middle - d - 1, middle + d + 2));
    job.budget -= d + 1;
    if (job.budget < 0) return false;
    for (let k = -d; k <= d; k += 2) {
      const left = reach[middle + k - 1] ?? 0;
      const right = reach[middle + k + 1] ?? 0;
      let x = k === -d || (k !== d && left < right) ? right : left + 1;
      let y = x - k;
      const start = x;
      while (x < n && y < m && a[a0 + x] === b[b0 + y]) {
        x += 1;
        y += 1;
      }
      job.budget -= x - start;
      reach[middle + k] = x;
      if (x >= n && y >= m) {
        backtrack(job, trace, d, n, m, a0, b0);
        return true;
      }
    }
  }
  return false;
}

function backtrack(
  job: Job,
  trace: readonly Int32Array[],
  end: number,
  n: number,
  m: number,
  a0: number,
  b0: number,
): void {
  const steps: Change[] = [];
  let x = n;
  let y = m;
  for (let d = end; d > 0; d -= 1) {
    // Row d holds the reach before step d: index 0 is diagonal -d - 1.
    const row = trace[d] ?? new Int32Array(0);
    const at = (k: number) => row[k + d + 1] ?? 0;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const before = down ? k + 1 : k - 1;
    const fromX = at(before);
    const fromY = fromX - before;
    steps.push(
      down
        ? { a0: a0 + fromX, a1: a0 + fromX, b0: b0 + fromY, b1: b0 + fromY + 1 }
        : { a0: a0 + fromX, a1: a0 + fromX + 1, b0: b0 + fromY, b1: b0 + fromY },
    );
    x = fromX;
    y = fromY;
  }
  job.changes.push(...steps.reverse());
}

/** Pairs of positions of elements that occur once on both sides, in the longest common order. */
function uniqueAnchors(
  job: Job,
  a0: number,
  a1: number,
  b0: number,
  b1: number,
): readonly (readonly [number, number])[] {
  const places = new Map<number, { a: number; b: number; counts: number }>();
  for (let i = a0; i < a1; i += 1) {
    const entry = places.get(job.a[i] ?? 0);
    if (entry) entry.counts += 2;
    else places.set(job.a[i] ?? 0, { a: i, b: -1, counts: 1 });
  }
  for (let i = b0; i < b1; i += 1) {
    const entry = places.get(job.b[i] ?? 0);
    if (!entry) continue;
    entry.counts += entry.b === -1 ? 0 : 2;
    entry.b = i;
  }
  const pairs = [...places.values()].filter((entry) => entry.counts === 1 && entry.b !== -1);
  // Longest increasing run of b (pairs are in the order of a), by patience sorting.
  const tops: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach((pair, index) => {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((pairs[tops[mid] ?? 0]?.b ?? 0) < pair.b) low = mid + 1;
      else high = mid;
    }
    if (low > 0) before[index] = tops[low - 1] ?? -1;
    tops[low] = index;
  });
  const chain: (readonly [number, number])[] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair) chain.push([pair.a, pair.b]);
  }
  return chain.reverse();
}
