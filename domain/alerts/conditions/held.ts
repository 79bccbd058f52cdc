import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined } from '../../presence/intervals.ts';
import type { Because, Stretch } from './stretch.ts';

/** When one version of a rule held in one course of events, such as one visit to a place or one gap between reads. */
export interface Held {
  /** What held under several versions of a rule in the same course, without a pause, is one stretch. */
  course: string;
  times: readonly Interval[];
  /** The parts of them in which the second threshold was passed. */
  alarms: readonly Interval[];
  hasLevels: boolean;
  because(stretch: Pick<Stretch, 'since' | 'alarmSince'>): Because;
}

/** The stretches that reach into a window, in order. */
export function stretchesFrom(held: readonly Held[], window: Interval): Stretch[] {
  return [...Map.groupBy(held, ({ course }) => course).values()]
    .flatMap((versions) => {
      const alarms = joined(versions.flatMap((version) => version.alarms));
      return joined(versions.flatMap(({ times }) => times))
        .filter(({ since, until }) => until > window.since && since < window.until)
        .map((times) => stretchOf(times, alarms, versions, window.until));
    })
    .toSorted((a, b) => a.since - b.since);
}

function stretchOf(
  { since, until }: Interval,
  alarms: readonly Interval[],
  versions: readonly Held[],
  end: Micros,
): Stretch {
  const alarmSince = alarms.find((alarm) => alarm.until > since && alarm.since < until)?.since ?? null;
  const version = versions.find(({ times }) => times.some((time) => time.since === since)) as Held;
  return {
    ...{ since, until: until >= end ? null : until, alarmSince },
    level: version.hasLevels ? (alarmSince === null ? 'warning' : 'alarm') : null,
    because: version.because({ since, alarmSince }),
  };
}
