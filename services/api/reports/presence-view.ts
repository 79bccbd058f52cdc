import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { PresenceRow } from '../../../domain/reports/presence/list-presence.ts';

/** Contract 2.9. */
export function presenceView(row: PresenceRow) {
  const { state, since, unseen } = row.presence;
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    last_seen: timeOrNull(row.last_seen),
    state,
    state_since: timeOrNull(since),
    unseen_covered_seconds: unseen === null ? null : Math.floor(unseen / MICROS_PER_MILLISECOND) / 1_000,
    because: becauseView(row),
  };
}

function becauseView({ presence: { because }, readerName }: PresenceRow) {
  if (because === null) {
    return null;
  }
  if ('ruleId' in because) {
    return { rule_id: because.ruleId };
  }
  return 'sweepId' in because
    ? { sweep_id: because.sweepId }
    : { reader_id: because.readerId, reader_name: readerName ?? '', since: timeOrNull(because.since) };
}

function timeOrNull(micros: Micros | null): string | null {
  return micros === null ? null : wireTimeOfMicros(micros);
}
