import type { ApiClient } from './api-client.ts';
import type { AssetRecord } from './asset-record.ts';

/** What the API says of every asset it knows or reports: its place and its whole history. */
export async function askApi(api: ApiClient): Promise<AssetRecord[]> {
  const assets = await api.assets();
  const reported = new Map((await api.assetLocations()).map((row) => [row.asset_external_key, row]));
  const records: AssetRecord[] = [];
  for (const { id, external_key: asset } of assets) {
    const row = reported.get(asset);
    const rows = await api.history(id);
    records.push({
      asset,
      current:
        row === undefined ? null : { location: row.location_external_key, lastSeen: row.asset_last_seen },
      history: rows.map(({ event_observed_at, location_external_key, duration_seconds }) => ({
        at: event_observed_at,
        location: location_external_key,
        durationSeconds: duration_seconds,
      })),
    });
  }
  return records;
}
