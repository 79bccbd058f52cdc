import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface ListedHandheld {
  id: number;
  org_id: number;
  name: string;
  created_at: string;
  revoked_at: string | null;
  /** Latest submission still remembered; null if none. */
  last_submission_at: string | null;
}

/**
 * Handhelds by id, revoked ones included.
 *
 * @param orgId null for every organization.
 */
export async function listHandhelds(db: Connection, orgId: number | null): Promise<ListedHandheld[]> {
  const rows = await db.any(sql.type(rowsOf<ListedHandheld>())`
    select handheld.id, handheld.org_id, handheld.name, handheld.created_at, handheld.revoked_at,
      last.received_at as last_submission_at
    from handhelds handheld
    left join (
      select org_id, handheld_id, max(received_at) as received_at from submissions
      where ${orgId}::integer is null or org_id = ${orgId}::integer group by org_id, handheld_id
    ) last on last.org_id = handheld.org_id and last.handheld_id = handheld.id
    where ${orgId}::integer is null or handheld.org_id = ${orgId}::integer
    order by handheld.id`);
  return rows.map((row) => ({
    ...row,
    created_at: wireTime(row.created_at),
    revoked_at: wireTimeOrNull(row.revoked_at),
    last_submission_at: wireTimeOrNull(row.last_submission_at),
  }));
}
