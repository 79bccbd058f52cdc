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
 * Walks down from the named locations, by the index of parents. `union`, not `union all`: it ends though the tree had a circle.
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
    with recursive place as (
      select id as location_id, tstzmultirange(${whole}) as during from (${named}) named
      union
      select child.location_id, child.during * place.during
      from place cross join lateral (
        select version.location_id, range_agg(tstzrange(${sinceWhen(orgId)}, ${untilWhen(orgId)})) as during
        from location_versions version
        where version.org_id = ${orgId} and version.parent_id = place.location_id
        group by version.location_id
      ) child
      where child.during && place.during
    )
    select location_id, range_agg(during) as during from place group by location_id`;
}

/** Null for the first version of a location. */
function sinceWhen(orgId: number): FragmentSqlToken {
  return sql.fragment`
    case when exists (
      select from location_versions before
      where before.org_id = ${orgId} and before.location_id = version.location_id and before.since < version.since
    ) then version.since end`;
}

/** Null for the last version of a location. */
function untilWhen(orgId: number): FragmentSqlToken {
  return sql.fragment`(
    select min(next.since) from location_versions next
    where next.org_id = ${orgId} and next.location_id = version.location_id and next.since > version.since)`;
}

/** A key names the location that has it, and deleted ones that had it, as in every filter. */
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
