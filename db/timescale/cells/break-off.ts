import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { cancelRunning } from '../connections/cancel-running.ts';
import { isCancelled } from '../connections/sql-state.ts';

/** Milliseconds. A statement begun just after a cancellation is cancelled by the next one. */
const AGAIN = 200;

/**
 * Runs `work`, whose statements on these sessions are cancelled when the signal aborts. None is once this has returned.
 *
 * @throws AppError `conflict` if it was interrupted.
 */
export async function untilInterrupted<Result>(
  signal: AbortSignal,
  sessions: readonly pg.ClientBase[],
  work: () => Promise<Result>,
): Promise<Result> {
  requireUninterrupted(signal);
  let cancelled: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    cancelled = cancelled.then(() => Promise.all(sessions.map(cancelRunning)));
  };
  const interrupt = () => {
    cancel();
    timer = setInterval(cancel, AGAIN);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await work();
  } catch (error) {
    if (isCancelled(error)) {
      requireUninterrupted(signal);
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupt);
    clearInterval(timer);
    await cancelled;
  }
}

/** @throws AppError `conflict` after the signal. */
export function requireUninterrupted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new AppError('conflict', 'Interrupted; run this again to continue');
  }
}
