/** One job is on its way at a time; of the wishes that come meanwhile only the newest is carried out. */

export interface Newest<W> {
  /** Resolves with what `run` says of the wish; false if a newer one took its place. */
  want(wish: W): Promise<boolean>;
  /** Forgets the wish that waits. */
  drop(): void;
}

export function newestOf<W>(run: (wish: W) => Promise<boolean>): Newest<W> {
  let waiting: { readonly wish: W; readonly done: (went: boolean) => void } | null = null;
  let busy = false;

  async function work(): Promise<void> {
    while (waiting !== null) {
      const mine = waiting;
      waiting = null;
      mine.done(await run(mine.wish));
    }
    busy = false;
  }

  function drop(): void {
    waiting?.done(false);
    waiting = null;
  }

  return {
    want(wish) {
      drop();
      return new Promise((done) => {
        waiting = { wish, done };
        if (busy) return;
        busy = true;
        void work();
      });
    },
    drop,
  };
}
