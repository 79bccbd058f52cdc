import type { Pool } from '../../../db/timescale/connections/client.ts';
import { milliseconds } from '../../../simulation/encoders/timestamp.ts';
import type { AssetRecord, HistoryRow } from '../../../simulation/truth/asset-record.ts';

/** What the database says of live assets, in the words of the API. */
export async function storedRecords(
  pool: Pool,
  orgId: number,
  keys: readonly string[],
): Promise<AssetRecord[]> {
  const positions = await pool.query<{ asset: string; location: string | null; last_seen: number | null }>(
    `select asset.external_key as asset, location.external_key as location,
       micros_of_time(position.last_seen) as last_seen
     from assets asset
     left join positions position on position.org_id = asset.org_id and position.asset_id = asset.id
     left join locations location on location.org_id = position.org_id and location.id = position.location_id
       and location.deleted_at is null
     where asset.org_id = $1 and asset.external_key = any($2::text[]) and asset.deleted_at is null`,
    [orgId, keys],
  );
  const transitions = await pool.query<{
    asset: string;
    at: number;
    location: string;
    duration_seconds: number | null;
  }>(
    `select asset.external_key as asset, micros_of_time(transition.observed_at) as at,
       location.external_key as location, transition.duration_seconds
     from assets asset
     join location_transitions transition
       on transition.org_id = asset.org_id and transition.asset_id = asset.id
     join locations location
       on location.org_id = transition.org_id and location.id = transition.location_id
     where asset.org_id = $1 and asset.external_key = any($2::text[]) and asset.deleted_at is null
     order by asset.external_key, transition.observed_at`,
    [orgId, keys],
  );
  const histories = Map.groupBy(transitions.rows, ({ asset }) => asset);
  return positions.rows.map(({ asset, location, last_seen: lastSeen }) => ({
    asset,
    current: lastSeen === null ? null : { location, lastSeen: milliseconds(lastSeen) },
    history: (histories.get(asset) ?? []).map(
      (row): HistoryRow => ({
        at: milliseconds(row.at),
        location: row.location,
        durationSeconds: row.duration_seconds,
      }),
    ),
  }));
}
