import { InvalidArgumentError } from 'commander';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { parseTimestamp } from '../../../base/timestamps.ts';
import { type TimeBound, timeBound } from '../../../platform/http/parameters.ts';

const EXPECTED = 'It is an RFC 3339 time, such as 2026-05-01T10:00:00Z.';

export function time(text: string): Micros {
  const instant = parseTimestamp(text);
  if (instant === null) {
    throw new InvalidArgumentError(EXPECTED);
  }
  return Date.parse(`${instant.slice(0, 19)}Z`) * MICROS_PER_MILLISECOND + Number(instant.slice(20, 26));
}

/** As in the parameters of reports: a time in milliseconds includes everything shown as that millisecond. */
export function reportTime(text: string): TimeBound {
  const read = timeBound.read([text], 'time');
  if (!read.ok || read.value === undefined) {
    throw new InvalidArgumentError(EXPECTED);
  }
  return read.value;
}

export function shownTime(at: Micros): string {
  return new Date(Math.floor(at / MICROS_PER_MILLISECOND)).toISOString();
}
