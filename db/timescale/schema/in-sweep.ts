import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import type { Pool, PoolClient } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';

/**
 * Runs `work` in a transaction that may drop or merge old rows. Code that compares or recomputes them prevents that by
 * holding the lock in shared mode.
 *
 * @returns null if it is held; then nothing was done.
 */
export function inSweep<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result | null> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ is_mine: boolean }>(
      'select pg_try_advisory_xact_lock($1) as is_mine',
      [ADVISORY_LOCKS.sweep],
    );
    return rows[0]?.is_mine === true ? work(client) : null;
  });
}
