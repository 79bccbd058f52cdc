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
