import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/**
 * Recursive common table expressions, the last of which is `above (location_id, root_id, during)`: when locations were in the
 * subtrees of which others, their own with it, by the tree as it was at each instant; before its first version a location
 * counts as in that.
 *
 * All versions of the organization's locations are read, as in reports about the past. `union`, not `union all`: it ends
 * though the tree had a circle.
 */
export function locationsAbove(orgId: number, locationIds: readonly number[]): FragmentSqlToken {
  return sql.fragment`
    parent as materialized (
      select location_id, parent_id, tstzrange(
          case when lag(since) over versions is null then null else since end, lead(since) over versions) as during
      from location_versions where org_id = ${orgId}
      window versions as (partition by location_id order by since)
    ), above as (
      select id as location_id, id as root_id, tstzrange(null, null) as during
      from unnest(${sql.array(locationIds, 'int4')}) as given (id)
      union
      select above.location_id, parent.parent_id, above.during * parent.during
      from above join parent on parent.location_id = above.root_id and parent.parent_id is not null
        and parent.during && above.during
    )`;
}
