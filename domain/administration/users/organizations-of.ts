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
 * Changes of a user are logged for each organization of the user, so that its administrators see them; for a user
 * without any, for the installation.
 */
export function forEach(orgIds: readonly number[], entry: Omit<ChangeEntry, 'orgId'>): ChangeEntry[] {
  return (orgIds.length === 0 ? [null] : orgIds).map((orgId) => ({ orgId, ...entry }));
}
