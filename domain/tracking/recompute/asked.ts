import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Recomputation } from './recompute-organization.ts';

/** Announced with each organization whose histories are to be recomputed. */
export const HISTORIES_ASKED = 'histories_asked';

/** Asks the worker to recompute the histories that a setting changes. */
export async function askToRecompute(
  transaction: Connection,
  { orgId, settingId }: Recomputation,
): Promise<void> {
  await transaction.exec(sql.type(NO_ROWS)`
    insert into history_recomputations (org_id, setting_id) values (${orgId}, ${settingId})`);
  await transaction.exec(sql.type(NO_ROWS)`select pg_notify(${HISTORIES_ASKED}::text, '')`);
}

/** The next request: of the organization after `last`, or of the first. Null if there is none. */
export async function nextAsked(db: Connection, last: number): Promise<Recomputation | null> {
  const row = await db.maybeOne(sql.prepared(
    'next-asked-recomputation',
    rowsOf<{ org_id: number; setting_id: number }>(),
  )`
    select org_id, setting_id from history_recomputations where finished_at is null
    order by org_id <= ${last}, org_id, setting_id limit 1`);
  return row === null ? null : { orgId: row.org_id, settingId: row.setting_id };
}
