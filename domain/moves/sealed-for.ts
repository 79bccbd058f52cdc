import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** Bounds by day when a `move` at these positions was sealed, which limits the chunks to search. */
export function sealedFor(orgId: number, first: number, last: number): FragmentSqlToken {
  return sql.fragment`(
    move.sealed_at >= coalesce((
      select day from move_days where org_id = ${orgId} and first_position <= ${first}::int8
      order by first_position desc limit 1), '-infinity')
    and move.sealed_at < coalesce((
      select day from move_days where org_id = ${orgId} and first_position > ${last}::int8
      order by first_position limit 1), 'infinity'))`;
}
