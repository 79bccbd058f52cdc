import { invalid, invalidValue } from '../../base/checks/issues.ts';
import { MICROS_PER_DAY, MICROS_PER_MILLISECOND, type Micros } from '../../base/instant.ts';
import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';
import type { Window } from './window.ts';

/** Three years, for reports with a row per day. */
const MOST_DAYS = 1_100;

/** Days in the order of the calendar, each as `YYYY-MM-DD` with its first instant, and the instant after the last. */
export interface Days {
  names: readonly string[];
  /** One more than there are names. */
  starts: readonly Micros[];
}

/** How many days a window has at most, in any time zone. */
export function daysAtMost({ from, to }: Window): number {
  return Math.ceil((to - from) / MICROS_PER_DAY) + 2;
}

/**
 * The days that a window touches in a time zone. A day begins with the first instant that has its date there: usually at
 * midnight, at one o'clock where the clock skips midnight. It has 23 or 25 hours when the clock is changed.
 *
 * @param window not empty.
 */
export function daysOf({ from, to }: Window, timeZone: string): Days {
  const dateAt = datesIn(timeZone);
  const names: string[] = [];
  const starts: number[] = [];
  const end = to / MICROS_PER_MILLISECOND;
  let start: number | null = null;
  for (let date = dateAt(from / MICROS_PER_MILLISECOND); ; date = dayAfter(date)) {
    start = start !== null && isStart(start + DAY, date, dateAt) ? start + DAY : startOf(date, dateAt);
    starts.push(start * MICROS_PER_MILLISECOND);
    if (start >= end) {
      return { names, starts };
    }
    names.push(date);
  }
}

/** The array of {@link Days.starts}, for `width_bucket`, which then counts days from 1. */
export function startsOf(days: Days | null): FragmentSqlToken {
  return sql.fragment`(array(
    select time_of_micros(micros) from unnest(${sql.array([...(days?.starts ?? [])], 'int8')})
      with ordinality start (micros, number)
    order by number))`;
}

/** Compares dates, as text of equal length, which sorts by time. */
type DateAt = (milliseconds: number) => string;

function datesIn(timeZone: string): DateAt {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'iso8601',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  });
  return (milliseconds) => {
    const parts = Object.fromEntries(
      format.formatToParts(milliseconds).map(({ type, value }) => [type, value]),
    );
    return `${parts['year']?.padStart(4, '0')}-${parts['month']}-${parts['day']}`;
  };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function isStart(at: number, date: string, dateAt: DateAt): boolean {
  return dateAt(at) === date && dateAt(at - 1) < date;
}

/**
 * The first instant with a date, or a later one. A zone is up to 14 hours ahead of UTC, or 12 behind it, and its clock is set
 * at full seconds.
 */
function startOf(date: string, dateAt: DateAt): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  let [before, reached] = [midnight - 16 * HOUR, midnight + 16 * HOUR];
  while (reached - before > 1_000) {
    const middle = before + Math.floor((reached - before) / 2_000) * 1_000;
    if (dateAt(middle) < date) {
      before = middle;
    } else {
      reached = middle;
    }
  }
  return reached;
}

function dayAfter(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
}

/** @throws Invalid for a window of more days than are counted in one report. */
export function requireFewDays(window: Window): void {
  if (daysAtMost(window) > MOST_DAYS) {
    const rule = `must be at most ${MOST_DAYS - 2} days before to, with group_by=day`;
    throw invalid([invalidValue('from', rule)]);
  }
}
