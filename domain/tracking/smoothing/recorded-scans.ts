import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import type { Seen } from './counting.ts';

interface SeenRow {
  observed_at: Micros;
  location_id: number;
  rssi: number | null;
  is_by_person: boolean;
}

function toSeen(row: SeenRow): Seen {
  return {
    observedAt: row.observed_at,
    locationId: row.location_id,
    rssi: row.rssi,
    isByPerson: row.is_by_person,
  };
}

/** Scans in memory at a time, besides those of two windows. */
const PAGE = 5_000;

/** Sorted by time. Scans of one instant are never on two pages. */
export async function* recordedScans(
  db: Connection,
  { orgId, assetId }: AssetRef,
  { from, to }: { from: Micros; to: Micros },
): AsyncGenerator<Seen[]> {
  for (let start = from; start <= to; ) {
    const rows = await db.any(sql.prepared('recorded-scans', rowsOf<SeenRow>())`
      select micros_of_time(observed_at) as observed_at, location_id, rssi, handheld_id is not null as is_by_person
      from scan_events
      where org_id = ${orgId} and asset_id = ${assetId}
        and observed_at between time_of_micros(${start}) and time_of_micros(${to}) and retraction_id is null
      order by observed_at
      fetch first ${PAGE} rows with ties`);
    const seen = rows.map(toSeen);
    yield seen;
    const last = seen.length < PAGE ? undefined : seen.at(-1);
    start = last === undefined ? Number.POSITIVE_INFINITY : last.observedAt + 1;
  }
}
