import type { Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { type AssetFilters, namedAssets } from '../asset-filters.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { leftAt, staysIn } from '../stays/stays-in.ts';
import type { Window } from '../window.ts';

/** The locations that trips lead from and to, each with its own filters. */
export interface TripPlaces {
  left: PlaceFilters;
  reached: PlaceFilters;
}

/**
 * A query of the trips that ended in a window, and of those that began in it and did not end:
 * `(asset_id, is_deleted, left_at, reached_at)`, with null for what did not end.
 *
 * Moves decide, by the tree at the instant of each: a move leaves a place if the location that it comes from belongs to it
 * then and the one that it goes to does not, and arrives likewise. An asset that does not move neither leaves nor arrives,
 * whatever happens to the tree around it.
 *
 * 1. `standing`: when each location counted as left or as reached; without descendants always. A location below a place
 *    counts while it is there.
 * 2. `recent`: the stays at these locations that overlap or touch the window, each with what its location counted as when it
 *    began (`began_left`, `began_reached`) and when it ended (`ended_left`, `ended_reached`). Others need not be read: a stay
 *    ends when the asset is seen elsewhere, wherever that is.
 *
 *        left     ####    ##                  departures: the ends of #, but for those that go on at another location
 *        reached        ==     ====   ==      arrivals: the beginnings of =, likewise
 *                     1         2             trip 1 ends with the first arrival, trip 2 with the second; the third has
 *                                             no departure after the second
 *
 * 3. `earlier`: where the first of them did not come back to the place left, the trip may have begun before. Looking back from
 *    there, the first stay decides that came back, that may have left, or that arrived. Where no location counts as both and
 *    none came to count as reached, only an arrival brings an asset to the place reached: any stay there decides.
 * 4. `event`: each stay with what came before: an arrival ends a trip if an asset was not back at the place left since its
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
    tree as materialized (
      select coalesce(bool_or(is_reached and (is_left or since > time_of_micros(${beginOf(window)}))), false)
        as may_arrive_unmoved
      from standing
    ),
    ${staysIn(orgId, {
      // A stay that ends as the window begins is a departure within it.
      window: { from: window.from - 1, to: window.to },
      known: null,
      assets: namedAssets(orgId, filters),
      places: sql.fragment`select distinct location_id from standing`,
    })},
    recent as materialized (${withStanding(sql.fragment`
      select stay.asset_id, coalesce(asset.deleted_at <= ${to}, false) as is_deleted, ended.ends_at, stay.location_id,
        stay.entered_at, least(${leftAt(orgId, 'stay')}, ended.ends_at) as left_at
      from stay
      join assets asset on asset.org_id = ${orgId} and asset.id = stay.asset_id
      cross join lateral (select least(${to}, asset.deleted_at) as ends_at) ended
      where asset.deleted_at is null or asset.deleted_at > greatest(stay.entered_at, ${from})`)}
    ),
    earlier as materialized (${withStanding(earlierStays(orgId))}),
    ${EVENTS}
    select asset_id, is_deleted, left_before as left_at, entered_at as reached_at from event
    where arrives and entered_at >= ${from} and left_before > coalesce(greatest(back_before, arrived_before), '-infinity')
    union all
    select asset_id, is_deleted, left_so_far, null from event
    where is_last and left_so_far >= ${from}
      and left_so_far > coalesce(greatest(back_so_far, arrived_so_far), '-infinity')`;
}

/** The stays before the first of `recent` in which a trip may have begun (step 3). */
function earlierStays(orgId: number): FragmentSqlToken {
  const own = sql.fragment`select location_id, observed_at from location_transitions
    where org_id = ${orgId} and asset_id = first.asset_id`;
  const nextOfOwn = sql.fragment`(
    select observed_at from location_transitions
    where org_id = ${orgId} and asset_id = first.asset_id and observed_at > own.observed_at
    order by observed_at limit 1)`;
  const previousOfOwn = sql.fragment`(
    select location_id from location_transitions
    where org_id = ${orgId} and asset_id = first.asset_id and observed_at < own.observed_at
    order by observed_at desc limit 1)`;
  const ownAt = sql.fragment`own.observed_at`;
  // `is true` keeps both conditions from becoming joins: histories are read backwards until one row meets them.
  const isCounted = sql.fragment`(own.location_id in (select location_id from standing)) is true`;
  return sql.fragment`
    select first.asset_id, first.is_deleted, first.ends_at, before.location_id, before.entered_at, before.left_at
    from (select distinct on (asset_id) * from recent order by asset_id, entered_at) first
    cross join lateral (
      select own.observed_at as at
      from (${own} and observed_at < first.entered_at order by observed_at desc offset 0) own
      where ${isCounted} and (
          ${counts('is_left', sql.fragment`own.location_id`, ownAt)}
          or ${counts('is_left', sql.fragment`own.location_id`, nextOfOwn)}
          or ${counts('is_reached', sql.fragment`own.location_id`, ownAt)} and (
            not (select may_arrive_unmoved from tree) or not ${counts('is_reached', previousOfOwn, ownAt)})
        ) is true
      order by own.observed_at desc limit 1
    ) decides
    cross join lateral (
      select own.location_id, own.observed_at as entered_at, ${nextOfOwn} as left_at
      from (
        ${own} and observed_at >= decides.at and observed_at < first.entered_at
        order by observed_at limit case when (select may_arrive_unmoved from tree) then null else 1 end
      ) own
      where ${isCounted}
    ) before
    where first.began_reached or not first.began_left`;
}

/** Each stay with what came before it (step 4). */
const EVENTS = sql.fragment`
  met as (
    select stay.*,
      ended_left and left_at < ends_at and not coalesce(
        lead(began_left) over by_time and lead(entered_at) over by_time = left_at, false) as leaves,
      began_reached and not coalesce(
        lag(ended_reached) over by_time and lag(left_at) over by_time = entered_at, false) as arrives
    from (select * from recent union all select * from earlier) stay
    window by_time as (partition by asset_id order by entered_at)
  ),
  event as (
    select met.*, lead(entered_at) over by_time is null as is_last,
      max(left_at) filter (where leaves) over before as left_before,
      max(entered_at) filter (where began_left) over before as back_before,
      max(entered_at) filter (where arrives) over before as arrived_before,
      max(left_at) filter (where leaves) over so_far as left_so_far,
      max(entered_at) filter (where began_left) over so_far as back_so_far,
      max(entered_at) filter (where arrives) over so_far as arrived_so_far
    from met
    window by_time as (partition by asset_id order by entered_at),
      before as (by_time rows between unbounded preceding and 1 preceding),
      so_far as (by_time rows between unbounded preceding and current row)
  )`;

/** @param stays query of `asset_id`, `is_deleted`, `ends_at`, `location_id`, `entered_at` and `left_at`. */
function withStanding(stays: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select stay.*,
      coalesce(began.is_left, false) as began_left, coalesce(began.is_reached, false) as began_reached,
      coalesce(ended.is_left, false) as ended_left, coalesce(ended.is_reached, false) as ended_reached
    -- Without a fence, when a stay ended is looked up once more for each bound of the join.
    from (${stays} offset 0) stay
    left join standing began on began.location_id = stay.location_id
      and began.since <= stay.entered_at and began.until > stay.entered_at
    left join standing ended on ended.location_id = stay.location_id
      and ended.since <= stay.left_at and ended.until > stay.left_at`;
}

/** Whether a location counted as left, or as reached, at an instant. */
function counts(as: string, locationId: FragmentSqlToken, at: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`exists (
    select from standing
    where standing.location_id = ${locationId} and standing.since <= ${at} and standing.until > ${at}
      and standing.${sql.identifier([as])})`;
}

/** All of the past counts: a trip may have begun at any time. */
function beginOf({ from }: Window): Micros {
  return Math.min(0, from);
}

function standing(orgId: number, window: Window, { left, reached }: TripPlaces): FragmentSqlToken {
  const past = { from: beginOf(window), to: window.to };
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
