import type { TurnRow } from '../../../domain/reports/turns/read-turns.ts';

/** Contract 2.9. */
export function turnView(row: TurnRow) {
  return {
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    count: row.count,
    median_seconds: seconds(row.median),
    p90_seconds: seconds(row.p90),
    max_seconds: seconds(row.max),
    not_ended: row.not_ended,
  };
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1_000;
}
