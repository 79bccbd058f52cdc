import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { ChangeEntry } from '../../changes/entry.ts';

/** Live organizations of a user, in order of their ids. */
export async function organizationsOf(db: Connection, userId: number): Promise<readonly number[]> {
  const rows = await db.any(sql.prepared('organizations-of-user', rowsOf<{ org_id: number }>())`
    select membership.org_id from memberships membership
    join organizations organization on organization.id = membership.org_id and organization.deleted_at is null
    where membership.user_id = ${userId} order by membership.org_id`);
  return rows.map(({ org_id: orgId }) => orgId);
}

/**
 * What becomes of a user is logged for each organization the user is a member of, so that those who administer it see
 * it; of a user without any, for the installation.
 */
export function forEach(orgIds: readonly number[], entry: Omit<ChangeEntry, 'orgId'>): ChangeEntry[] {
  return (orgIds.length === 0 ? [null] : orgIds).map((orgId) => ({ orgId, ...entry }));
}
