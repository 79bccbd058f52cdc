import type { Pool, PoolClient } from './client.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';

/**
 * Milliseconds after which a failed attempt to connect means that nothing answers, rather than that the
 * server refuses.
 */
const UNANSWERED = 1_000;

/** Milliseconds for which further attempts fail at once. */
const FAIL_FAST = 1_000;

const refused = new WeakMap<Pool, { until: number; error: unknown }>();

/**
 * A connection of the pool, or ConnectionLost, at once for a moment after an attempt that nothing answered.
 * So requests queued for a turn fail together, not one connection timeout after the other.
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
    if (now - since > UNANSWERED && isConnectionLost(error)) {
      refused.set(pool, { until: now + FAIL_FAST, error });
    }
    throw error;
  }
}
