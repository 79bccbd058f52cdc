import { MICROS_PER_MILLISECOND, type Micros } from '../../../../../base/instant.ts';
import type { Zone } from './zone.ts';

export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 60 is a leap second, taken as the second after it. */
  readonly second: number;
  readonly micros: number;
}

/**
 * The instant, or undefined if there is no such day or time of day. `zone` gives the offset of local time.
 */
export function instantOf(civil: Civil, zone: Zone): Micros | undefined {
  const { year, month, day, hour, minute, second } = civil;
  // Before 1970 is no time of observation, and Date.UTC reads years below 100 as of the 20th century.
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) {
    return undefined;
  }
  if (hour > 23 || minute > 59 || second > 60) {
    return undefined;
  }
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return (local - zone(local)) * MICROS_PER_MILLISECOND + civil.micros;
}

function daysIn(year: number, month: number): number {
  if (month === 2) {
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  }
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
