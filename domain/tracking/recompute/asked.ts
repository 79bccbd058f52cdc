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

/** The first request of each organization that is not finished. */
export async function listAsked(db: Connection): Promise<Recomputation[]> {
  const rows = await db.any(sql.prepared(
    'list-asked-recomputations',
    rowsOf<{ org_id: number; setting_id: number }>(),
  )`
    select org_id, min(setting_id) as setting_id from history_recomputations where finished_at is null
    group by org_id order by org_id`);
  return rows.map(({ org_id: orgId, setting_id: settingId }) => ({ orgId, settingId }));
}
