/** Shows how far long work has come. */
export interface Progress {
  show(done: number): void;
  /** Wipes it away, before anything else is printed. */
  end(): void;
}

/** On a terminal, one line of standard error that is written over; nothing where that is piped. */
export function startProgress(doing: string, total: number): Progress {
  const { stderr } = process;
  let shownAt = 0;
  return stderr.isTTY === true
    ? {
        show: (done) => {
          if (Date.now() - shownAt >= BETWEEN) {
            shownAt = Date.now();
            stderr.write(`\r${doing} ${done} of ${total}\u001b[K`);
          }
        },
        end: () => void stderr.write('\r\u001b[K'),
      }
    : { show: () => {}, end: () => {} };
}

/** Milliseconds; more often nobody can read it. */
const BETWEEN = 100;
