import { secondsOf } from '../../../domain/reports/seconds.ts';
import type { TurnRow } from '../../../domain/reports/turns/read-turns.ts';

/** Contract 2.9. */
export function turnView(row: TurnRow) {
  return {
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    count: row.count,
    median_seconds: secondsOrNull(row.median),
    p90_seconds: secondsOrNull(row.p90),
    max_seconds: secondsOrNull(row.max),
    not_ended: row.not_ended,
  };
}

function secondsOrNull(milliseconds: number | null): number | null {
  return milliseconds === null ? null : secondsOf(milliseconds);
}
