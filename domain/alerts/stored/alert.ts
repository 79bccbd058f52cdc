import type { Micros } from '../../../base/instant.ts';
import type { Stretch } from '../conditions/stretch.ts';

/** A stretch as an alert tells it. */
export interface FoundStretch extends Omit<Stretch, 'because'> {
  locationId: number | null;
  /** JSON, as it goes over the wire. */
  because: string;
}

/** An alert of one rule and one asset or reader as it is stored; not one that was withdrawn. */
export interface StoredAlert {
  id: string;
  state: 'open' | 'acknowledged' | 'closed';
  openedAt: Micros;
  /** Null if it is not over. */
  closedAt: Micros | null;
  /** When somebody took notice of it; null if nobody has. */
  acknowledgedAt: Micros | null;
  level: Stretch['level'];
  alarmSince: Micros | null;
  locationId: number | null;
  because: string;
}

export interface AlertDifference {
  /** Stretches without an alert. */
  opened: FoundStretch[];
  /** Alerts whose stretch is another by now, or over. */
  changed: { id: string; state: StoredAlert['state']; stretch: FoundStretch }[];
  /** Alerts that should never have been raised, as known now. */
  withdrawn: string[];
}
