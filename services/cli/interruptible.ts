/**
 * Runs `work` with a signal that Ctrl-C (or SIGTERM) aborts, so that it can end in order; a second one does not wait.
 */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  let since = 0;
  const interrupt = () => {
    if (!controller.signal.aborted) {
      since = performance.now();
      controller.abort();
    } else if (performance.now() - since > SAME_SIGNAL) {
      process.exit(INTERRUPTED);
    }
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** Milliseconds within which a signal comes twice, from the terminal and from a program around this one (npx, timeout). */
const SAME_SIGNAL = 500;

/** 128 and the number of SIGINT. */
const INTERRUPTED = 130;
