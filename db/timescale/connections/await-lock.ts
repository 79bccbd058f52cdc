import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { ADVISORY_LOCKS } from './advisory-locks.ts';
import { holdersOf } from './blockers.ts';

export interface Awaiting {
  signal?: AbortSignal | undefined;
  /** @param who holds the lock. */
  onWaiting?: ((who: string) => void) | undefined;
  /** Milliseconds between attempts. */
  every?: number;
}

/**
 * Acquires a session-level advisory lock by polling: a statement that blocked would delay concurrent index builds,
 * which wait for all older statements.
 *
 * @returns false if the signal was aborted.
 */
export async function awaitLock(
  client: ClientBase,
  lock: (typeof ADVISORY_LOCKS)[keyof typeof ADVISORY_LOCKS],
  { signal, onWaiting, every = EVERY }: Awaiting = {},
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
      isFirst = false;
      if (onWaiting !== undefined) {
        onWaiting((await holdersOf(client, lock)) || 'which has just ended');
      }
    }
    await pause(every, undefined, { signal }).catch(() => {});
  }
  return false;
}

/** Milliseconds. */
const EVERY = 100;
