import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Bounds of what is read to learn. */
const ASSETS = 100;
const SCANS = 2_000;

/**
 * The gaps between reads at a location of the assets that are there, during their stays and in the last seven days: of the
 * assets that were read last, so many, and their latest reads.
 */
export async function loadGaps(db: Connection, orgId: number, locationId: number): Promise<Micros[]> {
  const rows = await db.any(sql.type(rowsOf<{ gap: Micros }>())`
    select gap from (
      select position.asset_id, position.since from positions position
      where position.org_id = ${orgId} and position.location_id = ${locationId} and position.since is not null
      order by position.last_seen desc limit ${ASSETS}
    ) present
    cross join lateral (
      select micros_of_time(observed_at) - micros_of_time(lag(observed_at) over (order by observed_at)) as gap
      from (
        select scan.observed_at from scan_events scan
        where scan.org_id = ${orgId} and scan.asset_id = present.asset_id
          and scan.observed_at >= greatest(present.since, now() - interval '7 days')
          and scan.location_id = ${locationId} and scan.reader_id is not null
        order by scan.observed_at desc limit ${SCANS}
      ) latest
    ) read
    where gap is not null`);
  return rows.map(({ gap }) => gap);
}
