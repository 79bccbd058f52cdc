import type { ApiClient } from './api-client.ts';
import type { AssetRecord } from './truth/asset-record.ts';

export interface AssetAnswer extends AssetRecord {
  id: number;
}

/**
 * Reads locations and whole histories of assets from the API.
 *
 * @param isAsked selects by external key; all by default.
 * @param onProgress called with the number of assets done.
 */
export async function askApi(
  api: ApiClient,
  isAsked: (externalKey: string) => boolean = () => true,
  onProgress: (assets: number) => void = () => {},
): Promise<AssetAnswer[]> {
  const assets = (await api.assets()).filter((asset) => isAsked(asset.external_key));
  const reported = new Map((await api.assetLocations()).map((row) => [row.asset_external_key, row]));
  const records: AssetAnswer[] = [];
  for (const { id, external_key: asset } of assets) {
    const row = reported.get(asset);
    onProgress(records.length);
    const rows = await api.history(id);
    records.push({
      id,
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
