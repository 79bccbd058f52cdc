import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** Bounds when a `move` at these positions was sealed, by the days that are known, which tells the chunks it can be in. */
export function sealedFor(orgId: number, first: number, last: number): FragmentSqlToken {
  return sql.fragment`(
    move.sealed_at >= coalesce((
      select day from move_days where org_id = ${orgId} and first_position <= ${first}::int8
      order by first_position desc limit 1), '-infinity')
    and move.sealed_at < coalesce((
      select day from move_days where org_id = ${orgId} and first_position > ${last}::int8
      order by first_position limit 1), 'infinity'))`;
}
