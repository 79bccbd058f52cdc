import { DatabaseUnavailable } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { type Instant, toMicros } from '../../../base/timestamps.ts';
import type { Pool, PoolClient } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { WriteOutage } from '../../../db/timescale/connections/write-outage.ts';
import { ClocksApart, type DatabaseClock } from '../../../domain/tracking/database-clock.ts';

export interface DatedTransactions {
  pool: Pool;
  databaseClock: DatabaseClock;
  /** Notes how each ends. */
  outage: WriteOutage;
}

/**
 * Runs `work` in a transaction, and rolls back if this machine's clock is not the database's: devices' times are
 * corrected by it. The question travels with the first statement of `work`.
 *
 * @throws DatabaseUnavailable if the clocks differ; otherwise as inTransaction does.
 */
export function inDatedTransaction<Result>(
  { pool, databaseClock, outage }: DatedTransactions,
  work: (client: PoolClient, attempt: number) => Promise<Result>,
  isRetryable?: (error: unknown) => boolean,
): Promise<Result> {
  return outage.during(
    inTransaction(
      pool,
      async (client, attempt) => {
        // Both have ended before the transaction does: a statement after the rollback would be on its own.
        const [compared, done] = await Promise.allSettled([databaseClock.ask(client), work(client, attempt)]);
        if (compared.status === 'rejected') {
          throw asRefusal(compared.reason);
        }
        if (done.status === 'rejected') {
          throw done.reason;
        }
        return done.value;
      },
      isRetryable,
    ),
  );
}

function asRefusal(error: unknown): unknown {
  return error instanceof ClocksApart ? new DatabaseUnavailable(REFUSAL, error) : error;
}

const REFUSAL =
  "The clock of this gateway's machine is not the database's right now; nothing was recorded, send it again later";

/**
 * A time of the device's clock by ours: what its clock was off when it sent is added, so that a wrong clock does not
 * matter as long as it ran.
 */
export function byOurClock(
  deviceTime: Instant,
  { sentAt, receivedAt }: { sentAt: Instant; receivedAt: Micros },
): Micros {
  return toMicros(deviceTime) - toMicros(sentAt) + receivedAt;
}
