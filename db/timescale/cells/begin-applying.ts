import type pg from 'pg';

/** Of the transaction: triggers and references had their effect at the other cell. */
export async function beginApplying(to: pg.Client): Promise<void> {
  await to.query('begin');
  await to.query(`set local session_replication_role = 'replica'`);
}
