import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';
import { rangeOf, type Window } from './window.ts';

export interface PlaceFilters {
  location_id?: readonly number[] | undefined;
  location_external_key?: readonly string[] | undefined;
  include_descendants: boolean;
}

/**
 * A query of the locations that filters name, with the instants of a window at which each counts:
 * `(location_id integer, during tstzmultirange)`, one row a location. Null if nothing narrows the locations.
 *
 * With descendants the tree counts as it was at each instant, by `location_versions`; before its first version a location
 * counts as in that. So one that was moved out of a subtree counts until then. A deleted location stays where it was.
 *
 * All versions of the organization are read; an instant has one tree, hence a location one parent, so a step of the
 * recursion finds no more rows than there are versions in the window. `union`, not `union all`: it ends though the tree
 * had a circle.
 *
 * @param window not empty.
 */
export function placesDuring(orgId: number, filters: PlaceFilters, window: Window): FragmentSqlToken | null {
  const named = namedPlaces(orgId, filters);
  if (named === null) {
    return null;
  }
  const whole = rangeOf(window);
  if (!filters.include_descendants) {
    return sql.fragment`select id as location_id, tstzmultirange(${whole}) as during from (${named}) named`;
  }
  return sql.fragment`
    with recursive child as materialized (
      select version.location_id, version.parent_id, version.during * ${whole} as during
      from (
        select location_id, parent_id, tstzrange(
            case when lag(since) over versions is null then null else since end, lead(since) over versions) as during
        from location_versions
        where org_id = ${orgId}
        window versions as (partition by location_id order by since)
      ) version
      where version.parent_id is not null and version.during && ${whole}
    ), place as (
      select id as location_id, ${whole} as during from (${named}) named
      union
      select child.location_id, child.during * place.during
      from place join child on child.parent_id = place.location_id and child.during && place.during
    )
    select location_id, range_agg(during) as during from place group by location_id`;
}

/** A key names the location that has it, and those that had it when they were deleted, as in every filter. */
function namedPlaces(
  orgId: number,
  { location_id: ids, location_external_key: keys }: PlaceFilters,
): FragmentSqlToken | null {
  if (ids !== undefined) {
    return sql.fragment`select id from locations where org_id = ${orgId} and id = any(${sql.array(ids, 'int4')})`;
  }
  return keys === undefined
    ? null
    : sql.fragment`select id from locations where org_id = ${orgId} and external_key = any(${sql.array(keys, 'text')})`;
}
