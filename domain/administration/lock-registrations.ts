import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** Serializes registrations until the transaction ends, so that the second of two colliding ones sees the first. */
export async function lockRegistrations(transaction: Connection): Promise<void> {
  await transaction.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock(${ADVISORY_LOCKS.registration})`);
}
