import { firstSignal } from './first-signal.ts';

interface Reactions {
  first?: () => void;
  /** Called by a second interruption; exits if left out. */
  again?: () => void;
}

/** Runs `work` with a signal that Ctrl-C or SIGTERM aborts, so that it can stop in order. */
export async function withInterruption<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { first, again = () => process.exit(INTERRUPTED) }: Reactions = {},
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = firstSignal(() => {
    first?.();
    controller.abort();
  }, again);
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** Exit status after Ctrl-C: 128 + SIGINT. */
export const INTERRUPTED = 130;
