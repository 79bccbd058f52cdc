import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** A condition: a column's value is the organization; with null, of any. */
export function isOf(column: FragmentSqlToken, orgId: number | null): FragmentSqlToken {
  return orgId === null ? sql.fragment`true` : sql.fragment`${column} = ${orgId}`;
}
