import { append } from '../../../base/append.ts';
import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import { type OffsetAt, offsetsOf } from '../../../base/time-zones.ts';
import { type Interval, joined, within } from '../../presence/intervals.ts';

/** Hours of every week, as the clock on the wall says: an hour that the clock repeats counts twice, one that it skips never. */
export interface Hours {
  timeZone: string;
  weekly: readonly WeeklyPart[];
}

/** Within one day. */
export interface WeeklyPart {
  /** 0 is Monday. */
  day: number;
  /** Minutes from midnight, without `until`. */
  from: number;
  until: number;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** 1970-01-01 was a Thursday. */
const DAY_OF_EPOCH = 3;

/** The times of a window within the hours: sorted, disjoint, none empty. */
export function periods(hours: Hours, window: Interval): Interval[] {
  const open = stretchesOfOneOffset(offsetsIn(hours.timeZone), window).flatMap(({ since, until, offset }) =>
    wallTimes(hours.weekly, { since: since + offset, until: until + offset }).map((wall) => ({
      since: (wall.since - offset) * MICROS_PER_MILLISECOND,
      until: (wall.until - offset) * MICROS_PER_MILLISECOND,
    })),
  );
  return within(joined(open), [window]);
}

/** In milliseconds of the local clock, as if it were UTC. */
function wallTimes(weekly: readonly WeeklyPart[], { since, until }: Interval): Interval[] {
  const times: Interval[] = [];
  for (let day = Math.floor(since / DAY); day * DAY < until; day += 1) {
    const parts = weekly.filter((part) => part.day === (((day + DAY_OF_EPOCH) % 7) + 7) % 7);
    append(
      times,
      parts.map((part) => ({
        since: day * DAY + part.from * MINUTE,
        until: day * DAY + part.until * MINUTE,
      })),
    );
  }
  return within(joined(times), [{ since, until }]);
}

/** Milliseconds between which the clock was not set, with its offset from UTC; all that the window touches. */
function stretchesOfOneOffset(offsetAt: OffsetAt, window: Interval): (Interval & { offset: number })[] {
  const end = Math.ceil(window.until / MICROS_PER_MILLISECOND);
  const stretches: (Interval & { offset: number })[] = [];
  for (let since = Math.floor(window.since / MICROS_PER_MILLISECOND); since < end; ) {
    const until = nextSetting(offsetAt, since, end);
    stretches.push({ since, until, offset: offsetAt(since) });
    since = until;
  }
  return stretches;
}

/** When the clock is set next; `end` if not before. Clocks are not set twice within a day. */
function nextSetting(offsetAt: OffsetAt, since: number, end: number): number {
  const offset = offsetAt(since);
  for (let before = since; before < end; before += DAY) {
    let reached = Math.min(before + DAY, end);
    if (offsetAt(reached) === offset) {
      continue;
    }
    while (reached - before > 1) {
      const middle = Math.floor((before + reached) / 2);
      if (offsetAt(middle) === offset) {
        before = middle;
      } else {
        reached = middle;
      }
    }
    return reached;
  }
  return end;
}

const MOST_ZONES = 100;
const zones = new Map<string, OffsetAt>();

function offsetsIn(timeZone: string): OffsetAt {
  const known = zones.get(timeZone) ?? offsetsOf(timeZone);
  if (zones.size >= MOST_ZONES) {
    zones.clear();
  }
  zones.set(timeZone, known);
  return known;
}
