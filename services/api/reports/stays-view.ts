import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { secondsOf } from '../../../domain/reports/seconds.ts';
import type { StayRow } from '../../../domain/reports/stays/list-stays.ts';

/** Contract 2.9. */
export function stayView(row: StayRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    entered_at: wireTime(row.entered_at),
    left_at: wireTimeOrNull(row.left_at),
    seconds_in_window: secondsOf(row.milliseconds),
    began_before: row.began_before,
    goes_on_after: row.goes_on_after,
  };
}
