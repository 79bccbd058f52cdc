import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { PositionAtRow } from '../../../domain/reports/positions-at/list-positions-at.ts';

/** Contract 2.9. */
export function positionAtView(row: PositionAtRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    since: wireTime(row.since),
    last_seen: wireTime(row.last_seen),
  };
}
