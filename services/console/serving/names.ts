import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Reference } from './schemas.ts';

export type References = ReadonlyMap<number, Reference>;

/** Locations by id, deleted ones too. */
export async function locationsNamed(
  db: OrganizationConnection,
  ids: readonly number[],
): Promise<References> {
  const rows = await db.any(sql.prepared('names-of-locations', rowsOf<Reference>())`
    select id, external_key, name from locations
    where org_id = ${db.orgId} and id = any(${sql.binary(integers([...new Set(ids)]))}::integer[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function assetsNamed(db: OrganizationConnection, ids: readonly number[]): Promise<References> {
  const rows = await db.any(sql.prepared('names-of-assets', rowsOf<Reference>())`
    select id, external_key, name from assets
    where org_id = ${db.orgId} and id = any(${sql.binary(integers([...new Set(ids)]))}::integer[])`);
  return new Map(rows.map((row) => [row.id, row]));
}
