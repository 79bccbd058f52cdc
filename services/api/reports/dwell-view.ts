import type { DwellRow } from '../../../domain/reports/dwell/read-dwell.ts';

/** Contract 2.9. */
export function dwellView(row: DwellRow) {
  return {
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    seen: row.seen,
    total_seconds: row.total / 1_000,
    mean_seconds: row.mean / 1_000,
    median_seconds: row.median / 1_000,
    p90_seconds: row.p90 / 1_000,
    max_seconds: row.max / 1_000,
    stays: row.stays,
    assets: row.assets,
  };
}
