import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import type { Known } from './known-at.ts';

/**
 * A query of rows of histories that have changed since, in their earlier state: `(asset_id, observed_at, location_id,
 * duration_seconds)`; without a location if there was no row at that instant. Of all later changes of a row, the first
 * has its earlier state. For one asset, positions follow the order of recording; unsealed events come last.
 *
 * @param assets a query of `asset_id`; null for all.
 */
export function undoneRows(orgId: number, known: Known, assets: FragmentSqlToken | null): FragmentSqlToken {
  const since = sql.fragment`time_of_micros(${known.before})`;
  const ofAssets = assets === null ? sql.fragment`` : sql.fragment`and asset_id in (${assets})`;
  return sql.fragment`
    select distinct on (event.asset_id, change.instant) event.asset_id, time_of_micros(change.instant) as observed_at,
      change.location_id, change.duration_seconds
    from (
      select asset_id, position, null::bigint as id, part, since, rows from moves
      where org_id = ${orgId} and position > ${known.position}::int8 and sealed_at >= ${since} and recorded_at >= ${since}
        ${ofAssets}
      union all
      select asset_id, null, id, part, since, rows from unsealed_since(${orgId}, ${since}) where true ${ofAssets}
    ) event
    cross join lateral (
      select micros_of_time(event.since) as instant, null::integer as location_id, null::bigint as duration_seconds
      where event.rows is null and event.since is not null
      union all
      select (added ->> 0)::bigint, null, null from json_array_elements(event.rows -> 'added') added
      union all
      select (removed ->> 0)::bigint, (removed ->> 1)::integer, (removed ->> 2)::bigint
      from json_array_elements(event.rows -> 'removed') removed
      union all
      select (changed ->> 0)::bigint, (changed ->> 3)::integer, (changed ->> 4)::bigint
      from json_array_elements(event.rows -> 'changed') changed
    ) change
    order by event.asset_id, change.instant, event.position nulls last, event.id, event.part`;
}
