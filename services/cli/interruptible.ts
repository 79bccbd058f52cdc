import { firstSignal } from '../../platform/runtime/first-signal.ts';

/**
 * Runs `work` with a signal that Ctrl-C (or SIGTERM) aborts, so that it can end in order; a second one does not wait.
 */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const interrupt = firstSignal(
    () => controller.abort(),
    () => process.exit(INTERRUPTED),
  );
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** 128 and the number of SIGINT. */
const INTERRUPTED = 130;
