import type { WeeklyPart } from './hours.ts';

/** In English and in German. */
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'mo', 'di', 'mi', 'do', 'fr', 'sa', 'so'];
const DAY_NAME = `(${DAYS.join('|')})`;
const PART = new RegExp(
  `^${DAY_NAME}(?:[-–]${DAY_NAME})? ([01]\\d|2[0-3]):([0-5]\\d)[-–](?:([01]\\d|2[0-3]):([0-5]\\d)|24:00)$`,
  'i',
);
const MINUTES_OF_DAY = 1_440;

const MOST_PARTS = 20;
export const HOURS_REMEDY = `must be up to ${MOST_PARTS} parts such as "Mon-Fri 07:00-18:00, Sat 22:00-06:00"; all day is 00:00-24:00`;

/** Reads hours such as `Mon-Fri 07:00-18:00, Sat 22:00-06:00` (the latter end on Sunday). Null for anything else. */
export function parseHours(text: string): WeeklyPart[] | null {
  const parts = text.split(',').map((part) => partsOf(part.trim()));
  return parts.length > MOST_PARTS || parts.includes(null) ? null : parts.flatMap((part) => part ?? []);
}

function partsOf(text: string): WeeklyPart[] | null {
  const match = PART.exec(text);
  if (match === null) {
    return null;
  }
  const [, first = '', last = first, fromHour, fromMinute, untilHour = '24', untilMinute = '0'] = match;
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const until = Number(untilHour) * 60 + Number(untilMinute);
  if (from === until) {
    return null;
  }
  return daysFrom(dayOf(first), dayOf(last)).flatMap((day) =>
    from < until ? [{ day, from, until }] : overMidnight(day, from, until),
  );
}

function dayOf(name: string): number {
  return DAYS.indexOf(name.toLowerCase()) % 7;
}

/** `Sat-Mon` are three days. */
function daysFrom(first: number, last: number): number[] {
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7);
}

function overMidnight(day: number, from: number, until: number): WeeklyPart[] {
  const night = { day, from, until: MINUTES_OF_DAY };
  return until === 0 ? [night] : [night, { day: (day + 1) % 7, from: 0, until }];
}
