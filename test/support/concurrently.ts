import type { Client } from '../../db/timescale/connections/client.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { type RecordOptions, recordScans } from '../../domain/tracking/record.ts';
import type { Outcome, Scan } from '../../domain/tracking/scan.ts';
import type { TestDatabase } from './database.ts';
import { RULES } from './recording.ts';

/** Records a batch in a transaction that the caller ends. */
export async function recordIn(
  client: Client,
  scans: readonly Scan[],
  options: Partial<Pick<RecordOptions, 'isCareful' | 'repeats' | 'seen'>> = {},
): Promise<Outcome[]> {
  const now = Math.max(...scans.map(({ receivedAt }) => receivedAt));
  const { outcomes } = await recordScans(client, scans, { rules: RULES, now, isCareful: false, ...options });
  return outcomes;
}

/** Records a batch in one transaction; one that the database gives up for the sake of another is an error. */
export function recordAtFirst(database: TestDatabase, scans: readonly Scan[]): Promise<Outcome[]> {
  return inTransaction(database.pool, (client, attempt) => {
    if (attempt > 1) {
      throw new Error('the transaction was given up, for a deadlock most likely');
    }
    return recordIn(client, scans);
  });
}

/**
 * Whether `work` comes to wait for a row that another transaction holds, before it ends.
 *
 * @param sessions that all wait.
 */
export async function waits(database: TestDatabase, work: Promise<unknown>, sessions = 1): Promise<boolean> {
  const held = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`;
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work.then(end, end);
  while (!hasEnded) {
    if ((await database.rows(held)).length >= sessions) {
      return true;
    }
  }
  return false;
}
