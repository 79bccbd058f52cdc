import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';

export interface AssetLocationRow {
  id: number;
  external_key: string;
  location_id: number | null;
  location_external_key: string | null;
  deleted_at: string | null;
  last_seen: string;
}

/** Contract 2.5. */
export function assetLocationView(row: AssetLocationRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    asset_last_seen: wireTime(row.last_seen),
  };
}
