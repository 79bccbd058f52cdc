import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined } from '../../presence/intervals.ts';
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

/** When one version of a rule held in one sequence of events, such as one visit or one gap between reads. */
export interface Held {
  times: readonly Interval[];
  /** The parts in which the second threshold was exceeded. */
  alarms: readonly Interval[];
  hasLevels: boolean;
  because(stretch: Pick<Stretch, 'since' | 'alarmSince'>): Because;
}

/**
 * The stretches that reach into a window, in order. A stretch continues across versions of a rule; sequences of events
 * always have a pause between them.
 */
export function stretchesFrom(held: readonly Held[], window: Interval): Stretch[] {
  if (held.every(({ times }) => times.length === 0)) {
    return [];
  }
  const alarms = joined(held.flatMap((each) => each.alarms));
  const began = new Map<Micros, Held>();
  for (const each of held) {
    for (const { since } of each.times) {
      began.set(since, began.get(since) ?? each);
    }
  }
  let next = 0;
  return joined(held.flatMap(({ times }) => times))
    .filter(({ since, until }) => until > window.since && since < window.until)
    .map((times) => {
      while ((alarms[next]?.until ?? Number.POSITIVE_INFINITY) <= times.since) {
        next++;
      }
      const alarm = alarms[next];
      const alarmSince = alarm !== undefined && alarm.since < times.until ? alarm.since : null;
      return stretchOf(times, alarmSince, began.get(times.since) as Held, window.until);
    });
}

function stretchOf({ since, until }: Interval, alarmSince: Micros | null, first: Held, end: Micros): Stretch {
  return {
    ...{ since, until: until >= end ? null : until, alarmSince },
    level: first.hasLevels ? (alarmSince === null ? 'warning' : 'alarm') : null,
    because: first.because({ since, alarmSince }),
  };
}
