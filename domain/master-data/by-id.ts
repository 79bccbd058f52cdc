import { type FragmentSqlToken, sql, type ValueExpression } from '../../db/timescale/queries/sql.ts';

const TABLES = {
  assets: sql.fragment`assets`,
  locations: sql.fragment`locations`,
};

/**
 * The row of an organization that an id names, for a from clause. Asked for in order of ids it comes by the primary key;
 * without statistics, and where they say "empty", another index that begins with the organization seems as good, by which a
 * look-up read all of its rows.
 */
export function rowById(
  table: keyof typeof TABLES,
  orgId: number,
  id: ValueExpression,
  { live = false } = {},
): FragmentSqlToken {
  const alive = live ? sql.fragment` and deleted_at is null` : sql.fragment``;
  return sql.fragment`lateral (
    select * from ${TABLES[table]} where org_id = ${orgId} and id between ${id} and ${id}${alive}
    order by id limit 1)`;
}
