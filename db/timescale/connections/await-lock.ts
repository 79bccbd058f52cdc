import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { ADVISORY_LOCKS } from './advisory-locks.ts';

export interface Awaiting {
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** Called once if another session has the lock. */
  onWaiting?: (() => void) | undefined;
}

/**
 * Takes an advisory lock for the session when nobody else has it. Asks for it again and again, because a statement that
 * waited would keep an index from being built concurrently, which waits for all statements that are older.
 *
 * @returns whether it has it; not if the signal was aborted.
 */
export async function awaitLock(
  client: ClientBase,
  lock: (typeof ADVISORY_LOCKS)[keyof typeof ADVISORY_LOCKS],
  { signal, onWaiting }: Awaiting = {},
): Promise<boolean> {
  let isFirst = true;
  while (signal?.aborted !== true) {
    const { rows } = await client.query<{ is_mine: boolean }>('select pg_try_advisory_lock($1) as is_mine', [
      lock,
    ]);
    if (rows[0]?.is_mine === true) {
      return true;
    }
    if (isFirst) {
      onWaiting?.();
      isFirst = false;
    }
    await pause(AGAIN);
  }
  return false;
}

/** Milliseconds. */
const AGAIN = 100;
