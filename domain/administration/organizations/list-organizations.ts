import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { OrganizationRow } from './live-organization.ts';

export function listOrganizations(db: Connection): Promise<readonly OrganizationRow[]> {
  return db.any(sql.type(rowsOf<OrganizationRow>())`
    select id, name from organizations where deleted_at is null order by id`);
}

/** True also if all of them are deleted. */
export async function hasOrganizations(db: Connection): Promise<boolean> {
  const { has_any: hasAny } = await db.one(sql.type(rowsOf<{ has_any: boolean }>())`
    select exists (select from organizations) as has_any`);
  return hasAny;
}
