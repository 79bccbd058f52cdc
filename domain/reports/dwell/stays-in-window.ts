import { type FragmentSqlToken, sql, type ValueExpression } from '../../../db/timescale/queries/sql.ts';
import { allOf, when } from '../../master-data/clauses.ts';
import { type AssetFilters, namedAssets } from '../asset-filters.ts';
import type { Known } from '../known/known-at.ts';
import { knownStays } from '../known/known-stays.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { leftAt, staysIn } from '../stays/stays-in.ts';
import type { Window } from '../window.ts';

/**
 * A query of the stays that overlap a window, as histories are or were known, cut to it: `(asset_id, is_deleted,
 * location_id, entered_at, since, until)`. Before its first transition an asset stays nowhere: `location_id` is null,
 * which no filter of locations finds. So the stays of an asset follow one another without a gap from the beginning of the
 * window to its end, or to the asset's deletion. A stay is one row, unless its location left the subtree asked for and
 * came back meanwhile; `entered_at` is the same in all of them.
 *
 * An asset counts from the beginning, whenever it was made: its scans may be older than it is, and the times of all assets
 * are to be the window times the assets. One made later adds to what was not yet seen, and to nothing else; a report that
 * is to leave it out is asked for as it was known.
 *
 * Bounds are as they are stored, in microseconds; `is_deleted` tells assets deleted by the end of the window.
 *
 * @param window not empty, and over before `known`.
 */
export function staysInWindow(
  orgId: number,
  window: Window,
  known: Known | null,
  filters: AssetFilters & PlaceFilters,
): FragmentSqlToken {
  const [from, to] = [
    sql.fragment`time_of_micros(${window.from})`,
    sql.fragment`time_of_micros(${window.to})`,
  ];
  const named = namedAssets(orgId, filters);
  const counted = sql.fragment`
    select asset.id as asset_id, coalesce(asset.deleted_at <= ${to}, false) as is_deleted,
      least(${to}, asset.deleted_at) as until
    from assets asset
    where ${allOf([
      sql.fragment`asset.org_id = ${orgId}`,
      sql.fragment`(asset.deleted_at is null or asset.deleted_at > ${from})`,
      when(named ?? undefined, (assets) => sql.fragment`asset.id in (${assets})`),
      known && sql.fragment`asset.created_at < time_of_micros(${known.before})`,
    ])}`;
  const places = placesDuring(orgId, filters, window);
  if (places === null) {
    return known === null
      ? byAsset(orgId, counted, from)
      : sql.fragment`
        with ${knownStays(orgId, known, window, named)} counted as materialized (${counted}) ${asKnown(orgId, from)}`;
  }
  const stays = sql.fragment`
    select stay.asset_id, counted.is_deleted, stay.location_id, stay.entered_at,
      greatest(stay.entered_at, ${from}) as since, least(${leftAt(orgId, 'stay')}, counted.until) as until
    from stay join (${counted}) counted on counted.asset_id = stay.asset_id and stay.entered_at < counted.until
    offset 0`;
  return sql.fragment`
    with ${staysIn(orgId, { window, known, assets: named, places })}
    ${filters.include_descendants ? partsOf(stays) : stays}`;
}

/** The parts of stays in which their locations count. */
function partsOf(stays: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select stay.asset_id, stay.is_deleted, stay.location_id, stay.entered_at,
      lower(part.during) as since, upper(part.during) as until
    from (${stays}) stay
    join place on place.location_id = stay.location_id
    cross join lateral unnest(place.during * tstzmultirange(tstzrange(stay.since, stay.until))) part (during)`;
}

/** Of assets whose histories have changed since from `known_stay`, of the others from what there is. */
function asKnown(orgId: number, from: FragmentSqlToken): FragmentSqlToken {
  const isTouched = sql.fragment`exists (select from touched where touched.asset_id = counted.asset_id)`;
  return sql.fragment`
    ${byAsset(orgId, sql.fragment`select * from counted where not ${isTouched}`, from)}
    union all
    select asset_id, is_deleted, location_id, at, at,
      lead(at, 1, until) over (partition by asset_id order by at)
    from (
      select counted.*, known_stay.location_id, greatest(known_stay.entered_at, ${from}) as at
      from counted join known_stay using (asset_id)
      where known_stay.entered_at < counted.until
      union all
      select counted.*, null, ${from} from counted
      where ${isTouched} and not exists (
        select from known_stay where known_stay.asset_id = counted.asset_id and known_stay.entered_at <= ${from})
    ) moved`;
}

/**
 * Reads the transitions of one asset after the other, from where it was at the beginning: on the index of an asset's
 * history, whose order is that of the stays, so that nothing is sorted.
 */
function byAsset(orgId: number, counted: FragmentSqlToken, from: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select counted.asset_id, counted.is_deleted, moved.location_id, moved.at as entered_at, moved.at as since,
      moved.next as until
    from (${counted}) counted
    cross join lateral (
      select location_id, at, lead(at, 1, counted.until) over (order by at) as next
      from (
        select (${whereAt(orgId, sql.fragment`counted.asset_id`, from)}) as location_id, ${from} as at
        union all
        select transition.location_id, transition.observed_at
        from location_transitions transition
        where ${of(orgId, 'transition', sql.fragment`counted.asset_id`)}
          and transition.observed_at > ${from} and transition.observed_at < counted.until
      ) moved
    ) moved`;
}

function whereAt(orgId: number, assetId: FragmentSqlToken, at: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select transition.location_id from location_transitions transition
    where ${of(orgId, 'transition', assetId)} and transition.observed_at <= ${at}
    order by transition.observed_at desc limit 1`;
}

function of(orgId: number, table: string, assetId: FragmentSqlToken): ValueExpression {
  return sql.fragment`${sql.identifier([table, 'org_id'])} = ${orgId}
    and ${sql.identifier([table, 'asset_id'])} = ${assetId}`;
}
