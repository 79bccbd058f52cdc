import { PATIENCE } from './scanning-connections.ts';
import { isLockTimeout } from './sql-state.ts';

/**
 * Retries a change that gave up waiting for a lock, each time in a new turn.
 *
 * @throws the last error after {@link PATIENCE}.
 */
export async function retryWhileLocked<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > until) {
        throw error;
      }
    }
  }
}

/**
 * Milliseconds a change waits for each lock. Creates and attaches hold theirs for a few; an import holds those of
 * its rows for seconds. Less than `deadlock_timeout`, so that the one that waits gives way.
 */
export const LOCK_TIMEOUT = 500;
