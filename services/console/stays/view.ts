import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { StaysRow } from './queries.ts';
import { MOST_STAYS } from './schema.ts';

export function staysView(rows: readonly StaysRow[]) {
  const stays = rows.flatMap(({ id, external_key, name, arrived_at, left_at }) =>
    id === null
      ? []
      : {
          location: { id, external_key, name },
          arrived_at: wireTime(arrived_at),
          left_at: wireTimeOrNull(left_at),
        },
  );
  return {
    first_seen: wireTimeOrNull(rows[0]?.first_seen ?? null),
    last_seen: wireTimeOrNull(rows[0]?.last_seen ?? null),
    stays: stays.slice(0, MOST_STAYS).toReversed(),
    is_cut: stays.length > MOST_STAYS,
  };
}
