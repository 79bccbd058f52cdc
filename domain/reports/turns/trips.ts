import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { type AssetFilters, namedAssets } from '../asset-filters.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { leftAt, staysIn } from '../stays/stays-in.ts';
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
 * 2. `recent`: the stays at these locations that overlap or touch the window. Others need not be read: a stay ends when the
 *    asset is seen elsewhere, wherever that is.
 * 3. `recent_piece`: these by standing. Pieces of an asset neither overlap nor have to follow one another.
 *
 *        left     ####    ##                  departures: the ends of #, but for those that go on at another location
 *        reached        ==     ====   ==      arrivals: the beginnings of =, likewise
 *                     1         2             trip 1 ends with the first arrival, trip 2 with the second; the third has
 *                                             no departure after the second
 *
 * 4. `earlier`: where the first of them is an arrival, the trip began before. Looking back from there, the first stay at one
 *    of the locations decides: if it was at the place reached, the trip has ended. Unless a location counts as both: then an
 *    asset may leave one place within the other, and does not arrive, so it goes back to where it left.
 * 5. `event`: each piece with what came before: an arrival ends a trip if an asset was not back at the place left since its
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
  const own = sql.fragment`select location_id, observed_at from location_transitions
    where org_id = ${orgId} and asset_id = first.asset_id`;
  const nextOfOwn = sql.fragment`(
    select observed_at from location_transitions
    where org_id = ${orgId} and asset_id = first.asset_id and observed_at > own.observed_at
    order by observed_at limit 1)`;
  // `is true` keeps both conditions from becoming joins: histories are read backwards until one row meets them.
  const isCounted = sql.fragment`(own.location_id in (select location_id from standing)) is true`;
  return sql.fragment`
    with ${standing(orgId, window, places)},
    counts_as_both as materialized (
      select coalesce(bool_or(is_left and is_reached), false) as is_any from standing
    ),
    ${staysIn(orgId, {
      // A stay that ends as the window begins is a departure within it.
      window: { from: window.from - 1, to: window.to },
      known: null,
      assets: namedAssets(orgId, filters),
      places: sql.fragment`select distinct location_id from standing`,
    })},
    recent as materialized (
      select stay.asset_id, coalesce(asset.deleted_at <= ${to}, false) as is_deleted, ended.ends_at, stay.location_id,
        stay.entered_at, least(${leftAt(orgId, 'stay')}, ended.ends_at) as left_at
      from stay
      join assets asset on asset.org_id = ${orgId} and asset.id = stay.asset_id
      cross join lateral (select least(${to}, asset.deleted_at) as ends_at) ended
      where asset.deleted_at is null or asset.deleted_at > greatest(stay.entered_at, ${from})
    ),
    recent_piece as materialized (${piecesOf('recent')}),
    earlier as materialized (
      select first.asset_id, first.is_deleted, first.ends_at, before.location_id, before.entered_at, before.left_at
      from (select distinct on (asset_id) * from recent_piece order by asset_id, since) first
      cross join lateral (
        select own.observed_at as at
        from (${own} and observed_at < first.entered_at order by observed_at desc offset 0) own
        where ${isCounted} and (exists (
            select from standing
            where standing.location_id = own.location_id
              and standing.until > own.observed_at and standing.since < ${nextOfOwn}
              and (standing.is_left or not (select is_any from counts_as_both))
          )) is true
        order by own.observed_at desc limit 1
      ) decides
      cross join lateral (
        select own.location_id, own.observed_at as entered_at, ${nextOfOwn} as left_at
        from (
          ${own} and observed_at >= decides.at and observed_at < first.entered_at
          order by observed_at limit case when (select is_any from counts_as_both) then null else 1 end
        ) own
        where ${isCounted}
      ) before
      where first.is_reached
    ),
    met as (
      select piece.*,
        piece.is_left and piece.until < piece.ends_at and not coalesce(
          lead(piece.is_left) over by_time and lead(piece.since) over by_time = piece.until, false) as leaves,
        piece.is_reached and not coalesce(
          lag(piece.is_reached) over by_time and lag(piece.until) over by_time = piece.since, false) as arrives
      from (select * from recent_piece union all ${piecesOf('earlier')}) piece
      window by_time as (partition by piece.asset_id order by piece.since)
    ),
    event as (
      select met.*, lead(since) over by_time is null as is_last,
        max(until) filter (where leaves) over before as left_before,
        max(until) filter (where is_left) over before as there_before,
        max(since) filter (where arrives) over before as arrived_before,
        max(until) filter (where leaves) over so_far as left_so_far,
        max(until) filter (where is_left) over so_far as there_so_far,
        max(since) filter (where arrives) over so_far as arrived_so_far
      from met
      window by_time as (partition by asset_id order by since),
        before as (by_time rows between unbounded preceding and 1 preceding),
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

/** @param stays table of `asset_id`, `is_deleted`, `ends_at`, `location_id`, `entered_at` and `left_at`. */
function piecesOf(stays: string): FragmentSqlToken {
  return sql.fragment`
    select stay.asset_id, stay.is_deleted, stay.ends_at, stay.entered_at,
      greatest(stay.entered_at, standing.since) as since, least(stay.left_at, standing.until) as until,
      standing.is_left, standing.is_reached
    from ${sql.identifier([stays])} stay
    join standing on standing.location_id = stay.location_id
      and standing.since < stay.left_at and standing.until > stay.entered_at`;
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
