import type { Logger } from 'pino';
import { AppError } from '../../base/errors.ts';
import { placeOf } from '../../db/timescale/connections/database-url.ts';
import { examineReplica } from '../../db/timescale/connections/examine-replica.ts';
import type { WriteOutage } from '../../db/timescale/connections/write-outage.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** @throws the reason if the database answers and takes no changes. */
export async function requireWritable(db: Connection): Promise<void> {
  const { is_standby: isStandby, is_read_only: isReadOnly } = await db.one(sql.prepared(
    'ask-writable',
    rowsOf<{ is_standby: boolean; is_read_only: boolean }>(),
  )`
    select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`);
  if (isStandby) {
    throw new Error('the database takes no changes: DATABASE_URL leads to a standby');
  }
  if (isReadOnly) {
    throw new Error('the database takes no changes: default_transaction_read_only is on');
  }
}

/** What readiness asks of a process that records scans. */
export function checksOfRecording<Db extends Connection>(
  db: Db,
  { databaseClock, outage }: { databaseClock: { ask(db: Db): Promise<void> }; outage: WriteOutage },
) {
  return {
    clock: () => databaseClock.ask(db),
    writing: () => requireWritable(db),
    recording: async () => outage.requireNone(),
  };
}

/**
 * Requires that the replica, if there is one, can be used. An unavailable one is no reason not to start.
 *
 * @throws AppError naming DATABASE_READ_URL.
 */
export async function requireReplica(
  {
    DATABASE_URL: url,
    DATABASE_READ_URL: readUrl,
  }: { DATABASE_URL: string; DATABASE_READ_URL: string | null },
  log: Logger,
): Promise<void> {
  if (readUrl === null) {
    return;
  }
  const found = await examineReplica(url, readUrl);
  if (found.state === 'unusable') {
    throw new AppError(
      'misconfigured',
      `DATABASE_READ_URL (${placeOf(readUrl)}) cannot be used: ${found.fault}; let it lead to a standby of the database at DATABASE_URL, without a pooler between`,
    );
  }
  if (found.state === 'unavailable') {
    log.warn({ fault: found.fault }, 'Replica unavailable; the primary answers lists until it is back');
  }
}
