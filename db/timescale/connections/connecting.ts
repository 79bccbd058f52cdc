import type { Pool, PoolClient } from './client.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';

/** Milliseconds after which an attempt to connect has shown that nobody answers, rather than that somebody refuses. */
const IN_VAIN = 1_000;

/** Milliseconds for which the next ones fail without being tried. */
const REFUSED = 1_000;

const refused = new WeakMap<Pool, { until: number; error: unknown }>();

/**
 * A connection of the pool, or ConnectionLost; none for a moment after an attempt that nobody answered. Whoever waited for a turn then learns
 * at once that the database is not there, and not each after as long an attempt as the one before.
 */
export async function connectionOf(pool: Pool): Promise<PoolClient> {
  const since = performance.now();
  const before = refused.get(pool);
  if (before !== undefined && since < before.until) {
    throw before.error;
  }
  try {
    return await pool.connect();
  } catch (thrown) {
    const error = thrownByPg(thrown);
    const now = performance.now();
    if (now - since > IN_VAIN && isConnectionLost(error)) {
      refused.set(pool, { until: now + REFUSED, error });
    }
    throw error;
  }
}
