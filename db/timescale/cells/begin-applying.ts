import type pg from 'pg';

/** Switches triggers and foreign keys off for the transaction: they had their effect at the other cell. */
export async function beginApplying(to: pg.Client): Promise<void> {
  await to.query('begin');
  await to.query(`set local session_replication_role = 'replica'`);
}
