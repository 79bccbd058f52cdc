import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined } from '../../presence/intervals.ts';
import type { Because, Stretch } from './stretch.ts';

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
