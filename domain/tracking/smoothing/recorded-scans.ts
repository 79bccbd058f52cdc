import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import type { AssetRef } from '../positions.ts';
import type { Seen } from './counting.ts';

/** How many scans are in memory at a time, the length of two windows aside. */
const PAGE = 5_000;

/** An asset's scans in order of time, those of one instant never on two pages. */
export async function* recordedScans(
  client: Client,
  { orgId, assetId }: AssetRef,
  { from, to }: { from: Micros; to: Micros },
): AsyncGenerator<Seen[]> {
  for (let start = from; start <= to; ) {
    const { rows } = await client.query<Seen>({
      name: 'recorded-scans',
      text: `select micros_of_time(observed_at) as "observedAt", location_id as "locationId", rssi,
          handheld_id is not null as "isByPerson"
        from scan_events
        where org_id = $1 and asset_id = $2
          and observed_at between time_of_micros($3) and time_of_micros($4)
        order by observed_at
        fetch first $5 rows with ties`,
      values: [orgId, assetId, start, to, PAGE],
    });
    yield rows;
    const last = rows.length < PAGE ? undefined : rows.at(-1);
    start = last === undefined ? Number.POSITIVE_INFINITY : last.observedAt + 1;
  }
}
