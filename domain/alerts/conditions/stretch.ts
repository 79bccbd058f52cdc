import type { Micros } from '../../../base/instant.ts';
import type { LastingKind } from '../../tracking/reading-bound.ts';

/** A time in which the condition of a rule held without a pause for an asset or a reader. One stretch is one alert. */
export interface Stretch {
  /** Exact within the window; a stretch that held before it may have begun earlier. */
  since: Micros;
  /** Null if it holds at the end of the window. */
  until: Micros | null;
  /** For `dwell` only: `alarm` from the second threshold on, or from the only one. */
  level: 'warning' | 'alarm' | null;
  /** For `dwell`: when it became an alarm. For `overdue`: since when the asset is missing. Null if neither. */
  alarmSince: Micros | null;
  because: Because;
}

/** The state when the stretch began; for `overdue` also its outcome. */
export type Because =
  | {
      kind: 'overdue';
      state: 'overdue' | 'missing';
      locationId: number;
      lastSeen: Micros;
      /** The sweep that made it missing; null if time did, or it is not. */
      sweepId: string | null;
    }
  | {
      kind: 'dwell' | 'not_allowed' | 'must_be';
      /** Where it was; for `must_be` the location where it was instead. */
      locationId: number;
      /** Since when it was in the subtree of the rule, or out of it; of `dwell` without one, at the location. */
      from: Micros;
    }
  | {
      kind: 'reading' | 'battery_low';
      reading: LastingKind;
      above: number | null;
      below: number | null;
      /** The first beyond the bound, and the tag that measured it. */
      value: number;
      tagId: number;
      /** Null if it was read nowhere by then. */
      locationId: number | null;
      /** Since when it was beyond. */
      from: Micros;
    }
  | { kind: 'reader'; state: 'silent' | 'disconnected'; from: Micros };
