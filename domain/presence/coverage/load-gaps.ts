import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Gaps } from './learned-gap.ts';

/** Bounds of the evidence to learn from, and of the gaps examined one by one. */
const ASSETS = 100;
const SCANS = 2_000;
const LONGEST = 2_000;

/**
 * The gaps between reads at a location: of the assets present that were read last, up to a bound, their latest reads
 * during their stays in the last seven days.
 */
export async function loadGaps(db: Connection, orgId: number, locationId: number): Promise<Gaps> {
  const rows = await db.any(sql.type(rowsOf<{ count: number; since: Micros; until: Micros }>())`
    select count(*) over () as count, micros_of_time(since) as since, micros_of_time(until) as until from (
      select position.asset_id, position.since as entered_at from positions position
      where position.org_id = ${orgId} and position.location_id = ${locationId} and position.since is not null
      order by position.last_seen desc limit ${ASSETS}
    ) present
    cross join lateral (
      select lag(observed_at) over (order by observed_at) as since, observed_at as until
      from (
        select scan.observed_at from scan_events scan
        where scan.org_id = ${orgId} and scan.asset_id = present.asset_id
          and scan.observed_at >= greatest(present.entered_at, now() - interval '7 days')
          and scan.location_id = ${locationId} and scan.reader_id is not null
        order by scan.observed_at desc limit ${SCANS}
      ) latest
    ) read
    where since is not null
    order by until - since desc limit ${LONGEST}`);
  return { count: rows[0]?.count ?? 0, longest: rows.map(({ since, until }) => ({ since, until })) };
}
