import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql, type ValueExpression } from '../../db/timescale/queries/sql.ts';
import type { Keyed } from './live-by-key.ts';
import { TABLES } from './tables.ts';

/**
 * The row with an id, for a from clause. Ordered by id it is read by the primary key; without statistics, or where they
 * say "empty", another index that begins with the organization seems as good, and a look-up would read all its rows.
 */
export function rowById(
  resource: Keyed,
  orgId: number,
  id: ValueExpression,
  { live = false } = {},
): FragmentSqlToken {
  const alive = live ? sql.fragment` and deleted_at is null` : sql.fragment``;
  return sql.fragment`lateral (
    select * from ${TABLES[resource]} where org_id = ${orgId} and id between ${id} and ${id}${alive}
    order by id limit 1)`;
}

export async function findLiveById(
  connection: OrganizationConnection,
  resource: Keyed,
  id: number,
): Promise<number | null> {
  const row = await connection.maybeOne(sql.prepared(`find-live-${resource}-id`, rowsOf<{ id: number }>())`
    select id from ${rowById(resource, connection.orgId, id, { live: true })} stored`);
  return row?.id ?? null;
}
