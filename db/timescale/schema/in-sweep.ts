import { setTimeout as pause } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import type { Pool, PoolClient } from '../connections/client.ts';
import { isConnectionLost, thrownByPg } from '../connections/connection-lost.ts';
import { LOCK_TIMEOUT } from '../connections/grouped-writes.ts';
import { isLockTimeout } from '../connections/sql-state.ts';
import { inTransaction } from '../connections/transaction.ts';

/**
 * Runs `work` in a transaction that may drop or merge old rows. Code that compares or recomputes them prevents that by
 * holding the lock in shared mode.
 *
 * It waits for other locks briefly, and again later: to drop a chunk it waits for all reads of it, and everything that is
 * recorded waits behind it. A report that somebody reads slowly would stop recording for minutes.
 *
 * @returns null if it is held; then nothing was done.
 */
export async function inSweep<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ is_mine: boolean }>(
          `select pg_try_advisory_xact_lock($1) as is_mine, set_config('lock_timeout', $2, true)`,
          [ADVISORY_LOCKS.sweep, String(LOCK_TIMEOUT)],
        );
        return rows[0]?.is_mine === true ? work(client) : null;
      });
    } catch (error) {
      if (!isLockTimeout(error) || attempt === ATTEMPTS) {
        throw error;
      }
    }
    await pause(AGAIN_MS);
  }
}

const ATTEMPTS = 20;
const AGAIN_MS = 2_000;

interface OfReader {
  org_id: number;
  reader_id: number;
}

/** Work that could not be done for a reader; it is tried again at the next sweep. */
export interface ReaderFault {
  orgId: number;
  readerId: number;
  error: unknown;
}

/**
 * Runs `work` as {@link inSweep} does, in a transaction for each, because recording waits for the reader's counters meanwhile. Goes
 * on where it fails, unless the database is gone or the process stops.
 *
 * @returns how many were visited before somebody held the lock.
 */
export async function sweepEach<Each extends OfReader>(
  pool: Pool,
  all: readonly Each[],
  onFault: (fault: ReaderFault) => void,
  work: (client: PoolClient, each: Each) => Promise<unknown>,
): Promise<number> {
  for (const [visited, each] of all.entries()) {
    const { org_id: orgId, reader_id: readerId } = each;
    const isVisited = await inSweep(pool, async (client) => {
      await client.query('select from reader_counters where org_id = $1 and reader_id = $2 for update', [
        orgId,
        readerId,
      ]);
      await work(client, each);
      return true;
    }).catch((error) => {
      if (isConnectionLost(thrownByPg(error))) {
        throw error;
      }
      onFault({ orgId, readerId, error });
      return true;
    });
    if (isVisited === null) {
      return visited;
    }
  }
  return all.length;
}

export const throwFault: (fault: ReaderFault) => void = ({ error }) => {
  throw error;
};
