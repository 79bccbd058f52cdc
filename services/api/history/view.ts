import { rowKey } from '../../../base/row-key.ts';
import { fromDatabase, toMicros, wireTime } from '../../../base/timestamps.ts';

export interface TransitionRow {
  observed_at: string;
  location_id: number;
  location_external_key: string;
  duration_seconds: number | null;
}

/** Contract 2.6. */
export function historyItemView(row: TransitionRow) {
  return {
    event_observed_at: wireTime(row.observed_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    duration_seconds: row.duration_seconds,
    row: rowKey(toMicros(fromDatabase(row.observed_at))),
  };
}
