import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';

/** A subquery of the ids of a location and all below it, also of deleted ones. */
export function locationsBelow(orgId: number, locationId: number): FragmentSqlToken {
  return sql.fragment`(
    with recursive below (id) as (
      select ${locationId}::integer
      union
      select child.id from locations child join below on child.org_id = ${orgId} and child.parent_id = below.id
    )
    select id from below)`;
}
