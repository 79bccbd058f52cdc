import type { DwellRow } from '../../../domain/reports/dwell/read-dwell.ts';
import { seconds } from './seconds.ts';

/** Contract 2.9. */
export function dwellView(row: DwellRow) {
  return {
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    seen: row.seen,
    total_seconds: seconds(row.total),
    mean_seconds: seconds(row.mean),
    median_seconds: seconds(row.median),
    p90_seconds: seconds(row.p90),
    max_seconds: seconds(row.max),
    stays: row.stays,
    assets: row.assets,
  };
}
