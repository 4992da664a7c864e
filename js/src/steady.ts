/** The transcript's clock as a browser knows it: from what the kernel says with each state and patch. */

export interface Steady {
  /** Takes what a message says. */
  hear(said: { now?: unknown; heard?: unknown }): void;
  /** Seconds; they stand still while the kernel is gone. */
  now(): number;
  /** When the last record was made. */
  heard(): number;
  stop(): void;
  go(): void;
}

export function createSteady(clock: () => number): Steady {
  let offset: number | null = null;
  let frozen: number | null = null;
  let heard = 0;
  const now = () => frozen ?? clock() + (offset ?? 0);
  return {
    /** A message can only have been late: the estimate that lies furthest ahead is the best one. */
    hear({ now: said, heard: last }) {
      if (typeof said !== "number" || !Number.isFinite(said)) return;
      const estimate = said - clock();
      if (offset === null || estimate > offset || estimate < offset - 2) offset = estimate;
      heard = typeof last === "number" ? last : said;
    },
    now,
    heard: () => heard,
    stop() {
      frozen ??= now();
    },
    go() {
      frozen = null;
    },
  };
}
