import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Announced with each organization whose histories are to be recomputed. */
export const HISTORIES_ASKED = 'histories_asked';

/** Has the worker recompute all histories of the organization, from its first asset on even if that is under way. */
export async function askToRecompute(transaction: Connection, orgId: number): Promise<void> {
  await transaction.exec(sql.type(NO_ROWS)`
    insert into history_recomputations (org_id) values (${orgId})
    on conflict (org_id) do update set asset_id = 0, finished_at = null`);
  await transaction.exec(sql.type(NO_ROWS)`select pg_notify(${HISTORIES_ASKED}::text, '')`);
}

/** The next organization whose histories are asked for: after `last`, or from the first on. Null if there is none. */
export async function nextAsked(db: Connection, last: number): Promise<number | null> {
  const row = await db.maybeOne(sql.prepared('next-asked-recomputation', rowsOf<{ org_id: number }>())`
    select org_id from history_recomputations where finished_at is null
    order by org_id <= ${last}, org_id limit 1`);
  return row?.org_id ?? null;
}
