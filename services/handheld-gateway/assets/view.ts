import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { StayRow, WhereaboutsRow } from '../../../domain/master-data/assets/whereabouts.ts';
import { referenceOf } from '../wire/reference.ts';

export function assetView(row: WhereaboutsRow) {
  return {
    id: row.id,
    external_key: row.external_key,
    name: row.name,
    last_seen: wireTimeOrNull(row.last_seen),
    since: wireTimeOrNull(row.since),
    location: referenceOf(row.location_id, row.location_external_key, row.location_name),
    tags: JSON.parse(row.tags),
  };
}

/** @param stays the latest first. */
export function assetPageView(row: WhereaboutsRow, stays: readonly StayRow[]) {
  return {
    ...assetView(row),
    stays: stays.map(({ arrived_at, id, external_key, name }, index) => ({
      location: { id, external_key, name },
      arrived_at: wireTime(arrived_at),
      left_at: wireTimeOrNull(stays[index - 1]?.arrived_at ?? null),
    })),
  };
}
