/** How high the turns are, as measured or as thought, and where each begins; added up when it is asked for. */

export interface Heights {
  /** Notes a measured height; says whether it is another one than was thought. */
  set(position: number, height: number): boolean;
  /** What is only thought, and how many there are, may be another one now. */
  doubt(): void;
  readonly count: number;
  /** Where a turn begins; where all ends for the one after the last. */
  top(position: number): number;
  /** How high a turn is. */
  of(position: number): number;
  /** The turn at a height. */
  at(y: number): number;
  readonly total: number;
}

export function createHeights(count: () => number, guess: (position: number) => number): Heights {
  const measured = new Map<number, number>();
  let tops: number[] = [0];
  let doubted = true;

  function sums(): readonly number[] {
    if (!doubted) return tops;
    doubted = false;
    const length = count();
    tops = [0];
    let top = 0;
    for (let position = 0; position < length; position += 1) {
      top += measured.get(position) ?? guess(position);
      tops.push(top);
    }
    return tops;
  }

  return {
    set(position, height) {
      if (measured.get(position) === height) return false;
      measured.set(position, height);
      doubted = true;
      return true;
    },
    doubt() {
      doubted = true;
    },
    get count() {
      return sums().length - 1;
    },
    top: (position) => sums()[position] ?? 0,
    of: (position) => (sums()[position + 1] ?? 0) - (sums()[position] ?? 0),
    at(y) {
      const all = sums();
      let low = 0;
      let high = Math.max(0, all.length - 2);
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((all[middle] ?? 0) <= y) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    get total() {
      const all = sums();
      return all[all.length - 1] ?? 0;
    },
  };
}
