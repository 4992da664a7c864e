/** The one clock of a view: beats once a second while something on the screen counts seconds, else not at all. */

export interface Ticker {
  /** Calls `beat` now and once a second until the returned function is called. */
  start(beat: () => void): () => void;
  dispose(): void;
}

export function createTicker(): Ticker {
  const beats = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | null = null;

  function run(): void {
    if (document.hidden) return;
    for (const beat of beats) beat();
  }

  function settle(): void {
    if (beats.size > 0 && timer === null) timer = setInterval(run, 1000);
    if (beats.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  }

  return {
    start(beat) {
      // A wrapper of its own, so that the same function registered twice beats and ends twice.
      const own = (): void => beat();
      beats.add(own);
      own();
      settle();
      return () => {
        beats.delete(own);
        settle();
      };
    },
    dispose() {
      beats.clear();
      settle();
    },
  };
}
