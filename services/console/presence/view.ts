import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { referenceOf } from '../serving/reference.ts';
import type { PassingRow, PresentRow } from './queries.ts';

export function presentView({ id, external_key, name, since, last_seen }: PresentRow) {
  return { id, external_key, name, since: wireTimeOrNull(since), last_seen: wireTimeOrNull(last_seen) };
}

export function passingView(rows: readonly PassingRow[], locationId: number) {
  return {
    since: wireTimeOrNull(rows[0]?.looked_back_to ?? null),
    moves: rows.flatMap((row) =>
      row.position === null
        ? []
        : {
            position: row.position,
            at: wireTime(row.at),
            asset: referenceOf(row.asset_id, row.asset_external_key, row.asset_name),
            is_arrival: row.location_id === locationId,
            other: referenceOf(row.other_id, row.other_external_key, row.other_name),
          },
    ),
  };
}
