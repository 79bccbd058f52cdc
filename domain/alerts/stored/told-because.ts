import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Because } from '../conditions/stretch.ts';

/** Why there is an alert, as it is stored and goes over the wire. */
export function toldBecause(because: Because): string {
  switch (because.kind) {
    case 'overdue':
      return JSON.stringify({
        state: because.state,
        location_id: because.locationId,
        last_seen: wireTimeOfMicros(because.lastSeen),
        sweep_id: because.sweepId,
      });
    case 'reader':
      return JSON.stringify({ state: because.state, from: wireTimeOfMicros(because.from) });
    default:
      return JSON.stringify({ location_id: because.locationId, from: wireTimeOfMicros(because.from) });
  }
}

export function locationIn(because: Because): number | null {
  return because.kind === 'reader' ? null : because.locationId;
}
