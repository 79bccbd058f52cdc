import { wireTime, wireTimeOfMicros, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { StayRow, WhereaboutsRow } from '../../../domain/master-data/assets/whereabouts.ts';
import type { PresenceRow } from '../../../domain/reports/presence/list-presence.ts';
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
export function assetPageView(row: WhereaboutsRow, stays: readonly StayRow[], presence: PresenceRow | null) {
  return {
    ...assetView(row),
    presence: presence === null ? null : presenceView(presence),
    stays: stays.map(({ arrived_at, id, external_key, name }, index) => ({
      location: { id, external_key, name },
      arrived_at: wireTime(arrived_at),
      left_at: wireTimeOrNull(stays[index - 1]?.arrived_at ?? null),
    })),
  };
}

/** Null where nothing can be said: never seen, or at a location that things only pass. */
function presenceView({ presence: { state, since, unseen, because }, readerName }: PresenceRow) {
  if (state === 'never_seen' || (state === 'present' && unseen === null)) {
    return null;
  }
  return {
    state,
    state_since: since === null ? null : wireTimeOfMicros(since),
    reader_name: readerName,
    is_by_sweep: because !== null && 'sweepId' in because,
  };
}
