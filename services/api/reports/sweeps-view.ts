import { wireTime } from '../../../base/timestamps.ts';
import type { SweepRow } from '../../../domain/reports/sweeps/list-sweeps.ts';

/** Contract 2.9. */
export function sweepView(row: SweepRow) {
  return {
    sweep_id: row.id,
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    handheld_id: row.handheld_id,
    handheld_name: row.handheld_name,
    began_at: wireTime(row.began_at),
    ended_at: wireTime(row.ended_at),
    received_at: wireTime(row.received_at),
    include_descendants: row.include_descendants,
    expected: row.expected,
    found: row.found,
    moved_here: row.moved_here,
    missing: row.missing,
    unknown: row.unknown,
    accuracy: row.accuracy,
  };
}
