import { constants } from 'node:os';

interface Reactions {
  first?: () => void;
  /** Called by a second interruption; exits if left out. */
  again?: () => void;
}

/** Runs `work` with a signal that Ctrl-C or SIGTERM aborts, so that it can stop cleanly. */
export async function withInterruption<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { first, again = () => process.exit(INTERRUPTED) }: Reactions = {},
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = firstSignal(() => {
    first?.();
    controller.abort();
  }, again);
  const unlisten = onSignals(interrupt);
  try {
    return await work(controller.signal);
  } finally {
    unlisten();
  }
}

/** Exit status after Ctrl-C: 128 + SIGINT. */
export const INTERRUPTED = 130;

/**
 * Lets Ctrl-C or SIGTERM end this process once `before` has ended. Other listeners of the signal, such as {@link
 * withInterruption}, take precedence.
 */
export function leaveOnSignals(before: () => Promise<void>): { ended(): Promise<void>; cancel(): void } {
  let ended = Promise.resolve();
  const cancel = onSignals((signal) => {
    if (process.listenerCount(signal) === 1) {
      ended = before().finally(() => process.exit(128 + constants.signals[signal]));
    }
  });
  return { ended: () => ended, cancel };
}

/** @returns what removes the listener. */
function onSignals(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of SIGNALS) {
    process.on(signal, listener);
  }
  return () => {
    for (const signal of SIGNALS) {
      process.off(signal, listener);
    }
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Milliseconds within which one signal may arrive twice: from the terminal and from a parent (npm, timeout). */
const SAME = 500;

/** A listener that calls `first` for the first signal and `again` for later ones; duplicates count once. */
export function firstSignal(
  first: (signal: NodeJS.Signals) => void,
  again: () => void,
): (signal: NodeJS.Signals) => void {
  let since: number | null = null;
  return (signal) => {
    if (since === null) {
      since = performance.now();
      first(signal);
    } else if (performance.now() - since > SAME) {
      again();
    }
  };
}
