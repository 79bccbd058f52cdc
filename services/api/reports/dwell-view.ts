import type { DwellRow } from '../../../domain/reports/dwell/read-dwell.ts';
import { secondsOf } from '../../../domain/reports/seconds.ts';

/** Contract 2.9. */
export function dwellView(row: DwellRow) {
  return {
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    seen: row.seen,
    total_seconds: secondsOf(row.total),
    mean_seconds: secondsOf(row.mean),
    median_seconds: secondsOf(row.median),
    p90_seconds: secondsOf(row.p90),
    max_seconds: secondsOf(row.max),
    stays: row.stays,
    assets: row.assets,
  };
}
