import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { FEED_LOOKED_THROUGH } from '../presence/schema.ts';

/** Seconds below which a stay is in each bar; the last bar has no end. */
export const BARS: readonly number[] = [60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200];

export interface DwellRow {
  /** How far back the feed was looked through, if not over all of the days: it may also have begun within them. */
  looked_back_to: string | null;
  count: number;
  median_seconds: number | null;
  /** One for each of {@link BARS}, and one more. */
  bars: number[];
}

/**
 * How long what left a location in the last days had been there. As for arrivals, the last events of the feed are looked
 * through, so that the cost has the same bound however many stays a location has had: with a million, 412 pages.
 * Corrected histories are left out: one event of them may be of many stays.
 */
export function readDwell(
  db: OrganizationDatabase,
  locationId: number,
  days: number,
  signal: AbortSignal,
): Promise<DwellRow> {
  const { orgId } = db;
  return db.listing({ isBrief: true, signal }).one(sql.type(rowsOf<DwellRow>())`
    with recent as materialized (
      select move.recorded_at, move.kind, move.since, move.duration_seconds, move.previous_location_id, move.location_id
      from moves move
      where move.org_id = ${orgId} and move.part = 1 and move.position > (
        select head - ${FEED_LOOKED_THROUGH} from move_heads where org_id = ${orgId})
    ),
    stay as materialized (
      select duration_seconds as seconds from recent
      where kind = 'moved' and previous_location_id = ${locationId} and location_id is distinct from previous_location_id
        and duration_seconds is not null and since >= now() - make_interval(days => ${days})
    ),
    bar as (
      select width_bucket(seconds, ${sql.array(BARS, 'int8')}) as number, count(*)::integer as stays
      from stay group by 1
    )
    select
      (select min(recorded_at) from recent having min(recorded_at) > now() - make_interval(days => ${days}))
        as looked_back_to,
      (select count(*) from stay) as count,
      (select percentile_disc(0.5) within group (order by seconds) from stay) as median_seconds,
      array(select coalesce(bar.stays, 0) from generate_series(0, ${BARS.length}) each (number)
        left join bar on bar.number = each.number order by each.number) as bars`);
}
