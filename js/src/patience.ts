/** Notices that the kernel does not answer: it was restarted by somebody else, say, and knows no chat any more. */

/** Seconds without a word, first before it is greeted, then before the person is told. */
const PATIENCE = 6;

export function createPatience(
  later: (seconds: number, callback: () => void) => () => void,
  greet: () => void,
  tell: (silent: boolean) => void,
) {
  let cancel: (() => void) | null = null;
  const stop = () => {
    cancel?.();
    cancel = null;
  };
  const wait = (then: () => void) => {
    cancel ??= later(PATIENCE, () => {
      cancel = null;
      then();
    });
  };
  return {
    /** Something was asked whose answer may take its time: a greeting is answered at once. */
    asked: () => wait(greet),
    greeted() {
      stop();
      wait(() => tell(true));
    },
    heard() {
      stop();
      tell(false);
    },
    stop,
  };
}
