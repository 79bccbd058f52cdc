import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { allOf, when } from '../../master-data/clauses.ts';
import { type AssetFilters, namedAssets } from '../asset-filters.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import type { Window } from '../window.ts';

/** The places that trips lead from and to, each with filters of its own. */
export interface TripPlaces {
  left: PlaceFilters;
  reached: PlaceFilters;
}

/**
 * A query of the trips that ended in a window, and of those that began in it and did not end:
 * `(asset_id, is_deleted, left_at, reached_at)`, with null for what did not end.
 *
 * 1. `standing`: when each location counted as left or as reached; without descendants always. A location below a place
 *    counts while it is there.
 * 2. `stay`: the stays at these locations that overlap or touch the window, and for each of their assets the last one before, in
 *    which a trip may have begun. Others need not be read: a stay ends when the asset is seen elsewhere, wherever that is.
 * 3. `piece`: the stays by standing. Pieces of an asset neither overlap nor have to follow one another.
 *
 *        left     ####    ##                  departures: the ends of #, but for those that go on at another location
 *        reached        ==     ====   ==      arrivals: the beginnings of =, likewise
 *                     1         2             trip 1 ends with the first arrival, trip 2 with the second; the third has
 *                                             no departure after the second
 *
 * 4. `event`: each piece with what came before: an arrival ends a trip if an asset was not back at the place left since its
 *    last departure, and has not arrived since.
 *
 * @param window not empty.
 */
export function tripsOf(
  orgId: number,
  window: Window,
  places: TripPlaces,
  filters: AssetFilters,
): FragmentSqlToken {
  const [from, to] = [
    sql.fragment`time_of_micros(${window.from})`,
    sql.fragment`time_of_micros(${window.to})`,
  ];
  return sql.fragment`
    with ${standing(orgId, window, places)},
    counted as materialized (
      select asset.id as asset_id, coalesce(asset.deleted_at <= ${to}, false) as is_deleted,
        least(${to}, asset.deleted_at) as until
      from assets asset
      where ${allOf([
        sql.fragment`asset.org_id = ${orgId}`,
        sql.fragment`(asset.deleted_at is null or asset.deleted_at > ${from})`,
        when(namedAssets(orgId, filters) ?? undefined, (named) => sql.fragment`asset.id in (${named})`),
      ])}
    ),
    recent as materialized (
      select counted.asset_id, counted.is_deleted, counted.until as ends_at, moved.location_id, moved.at as since,
        moved.next as until
      from counted
      cross join lateral (
        select location_id, at, lead(at, 1, counted.until) over (order by at) as next
        from (
          (select transition.location_id, transition.observed_at as at from location_transitions transition
            where transition.org_id = ${orgId} and transition.asset_id = counted.asset_id
              and transition.observed_at < ${from}
            order by transition.observed_at desc limit 1)
          union all
          select transition.location_id, transition.observed_at from location_transitions transition
          where transition.org_id = ${orgId} and transition.asset_id = counted.asset_id
            and transition.observed_at >= ${from} and transition.observed_at < counted.until
        ) moved
      ) moved
      where moved.location_id in (select location_id from standing)
    ),
    stay as (
      select * from recent
      union all
      select first.asset_id, first.is_deleted, first.ends_at, earlier.location_id, earlier.observed_at, earlier.until
      from (
        select asset_id, is_deleted, ends_at, min(since) as since from recent group by asset_id, is_deleted, ends_at
      ) first
      cross join lateral (
        select before.* from (
          select transition.location_id, transition.observed_at,
            lag(transition.observed_at, 1, first.since) over (order by transition.observed_at desc) as until
          from location_transitions transition
          where transition.org_id = ${orgId} and transition.asset_id = first.asset_id
            and transition.observed_at < first.since
        ) before
        where exists (
          select from standing
          where standing.location_id = before.location_id
            and standing.since < before.until and standing.until > before.observed_at)
        order by before.observed_at desc limit 1
      ) earlier
    ),
    piece as (
      select stay.asset_id, stay.is_deleted, stay.ends_at, greatest(stay.since, standing.since) as since, least(stay.until, standing.until) as until,
        standing.is_left, standing.is_reached
      from stay
      join standing on standing.location_id = stay.location_id
        and standing.since < stay.until and standing.until > stay.since
    ),
    met as (
      select piece.*,
        piece.is_left and piece.until < piece.ends_at and not coalesce(
          lead(piece.is_left) over by_time and lead(piece.since) over by_time = piece.until, false) as leaves,
        piece.is_reached and not coalesce(
          lag(piece.is_reached) over by_time and lag(piece.until) over by_time = piece.since, false) as arrives
      from piece
      window by_time as (partition by piece.asset_id order by piece.since)
    ),
    event as (
      select met.*, lead(since) over by_time is null as is_last,
        max(until) filter (where leaves) over earlier as left_before,
        max(until) filter (where is_left) over earlier as there_before,
        max(since) filter (where arrives) over earlier as arrived_before,
        max(until) filter (where leaves) over so_far as left_so_far,
        max(until) filter (where is_left) over so_far as there_so_far,
        max(since) filter (where arrives) over so_far as arrived_so_far
      from met
      window by_time as (partition by asset_id order by since),
        earlier as (by_time rows between unbounded preceding and 1 preceding),
        so_far as (by_time rows between unbounded preceding and current row)
    )
    select asset_id, is_deleted, left_before as left_at, since as reached_at from event
    where arrives and since >= ${from} and left_before = there_before
      and (arrived_before is null or arrived_before < left_before)
    union all
    select asset_id, is_deleted, left_so_far, null from event
    where is_last and left_so_far >= ${from} and left_so_far = there_so_far
      and (arrived_so_far is null or arrived_so_far < left_so_far)`;
}

/** All of the past counts: a trip may have begun at any time. */
function standing(orgId: number, { from, to }: Window, { left, reached }: TripPlaces): FragmentSqlToken {
  const past = { from: Math.min(0, from), to };
  const nowhere = sql.fragment`select null::integer as location_id, null::tstzmultirange as during where false`;
  return sql.fragment`
    place_left as materialized (${placesDuring(orgId, left, past) ?? nowhere}),
    place_reached as materialized (${placesDuring(orgId, reached, past) ?? nowhere}),
    edge as (
      select location_id, unnest(array[lower(during), upper(during)]) as at
      from (
        select location_id, unnest(during) as during from place_left
        union all
        select location_id, unnest(during) from place_reached
      ) place
      union
      select location_id, unnest(array[time_of_micros(${past.from}), time_of_micros(${past.to})])
      from (select location_id from place_left union select location_id from place_reached) place
    ),
    stretch as (
      select location_id, at as since, lead(at) over (partition by location_id order by at) as until from edge
    ),
    standing as materialized (
      select stretch.*, coalesce(place_left.during @> since, false) as is_left,
        coalesce(place_reached.during @> since, false) as is_reached
      from stretch
      left join place_left using (location_id)
      left join place_reached using (location_id)
      where stretch.until is not null
        and (place_left.during @> since or place_reached.during @> since)
    )`;
}
