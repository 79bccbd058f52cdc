import { MICROS_PER_MILLISECOND, type Micros } from './instant.ts';

/**
 * Instants between wire and database, as text from end to end so that no digit is lost (contract 2.7).
 * An `Instant` is `YYYY-MM-DDTHH:MM:SS.ffffffZ`: UTC, microseconds, comparable as text.
 */
export type Instant = string & { readonly [instant]: true };
declare const instant: unique symbol;

/** Instants that clients send when they mean "not set"; refused on write. */
const SENTINELS = ['0001-01-01T00:00:00', '1970-01-01T00:00:00'];

/**
 * Reads RFC 3339: any offset, up to nine fractional digits, of which six are kept. A leap second is read as the
 * second after it.
 *
 * @returns null if it is not a valid RFC 3339 timestamp, or in UTC falls outside the years 0000 to 9999.
 */
export function parseTimestamp(text: string): Instant | null {
  const match = RFC_3339.exec(text);
  if (match === null) {
    return null;
  }
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour, offsetMinute] = match;
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * minutes(offsetHour, offsetMinute);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1) {
    return null;
  }
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second));
  const isLeap = second === '60';
  if ((isLeap && !isStartOfMonth(date)) || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999) {
    return null;
  }
  const digits = isLeap ? '' : fraction.slice(0, 6);
  return `${date.toISOString().slice(0, 19)}.${digits.padEnd(6, '0')}Z` as Instant;
}

const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

function minutes(hours = '0', rest = '0'): number {
  return Number(hours) * 60 + Number(rest);
}

/** Leap seconds end a month in UTC, so the second after one starts a month. */
function isStartOfMonth(date: Date): boolean {
  return date.toISOString().endsWith('-01T00:00:00.000Z');
}

/**
 * The sentinel this instant is, as clients write it, or null. What the wire would show as a sentinel is one, or it
 * could be written once and never sent back.
 */
export function sentinelOf(value: Instant): string | null {
  const sentinel = SENTINELS.find((seconds) => toWire(value) === `${seconds}.000Z`);
  return sentinel === undefined ? null : `${sentinel}Z`;
}

/** As the database reads it, which counts no year zero: the year before 0001 is 0001 BC. */
export function toDatabase(value: Instant): string {
  return value.startsWith('0000') ? `0001${value.slice(4)} BC` : value;
}

/** From the text of a `timestamptz` in a UTC session: `2026-05-01 10:00:00.123456+00`. */
export function fromDatabase(text: string): Instant {
  return isoOf(text, 6) as Instant;
}

/** @param digits of the fraction; finer ones are cut off. */
function isoOf(text: string, digits: number): string {
  const year = text.endsWith(' BC') ? '0000' : text.slice(0, 4);
  const fraction = text[19] === '.' ? text.slice(20, text.indexOf('+')) : '';
  return `${year}${text.slice(4, 10)}T${text.slice(11, 19)}.${fraction.padEnd(digits, '0').slice(0, digits)}Z`;
}

/** On the wire: milliseconds, finer digits cut off. */
export function toWire(value: Instant): string {
  return `${value.slice(0, 23)}Z`;
}

/** As the count that time is reckoned in; exact from 1684 to 2255. */
export function toMicros(value: Instant): Micros {
  return Date.parse(`${value.slice(0, 23)}Z`) * MICROS_PER_MILLISECOND + Number(value.slice(23, 26));
}

/** {@link toWire} of such a count. */
export function wireTimeOfMicros(micros: Micros): string {
  return new Date(Math.floor(micros / MICROS_PER_MILLISECOND)).toISOString();
}

/** A `timestamptz` of the database as the wire shows it; a page of 50 assets has up to 250 of them. */
export function wireTime(text: string): string {
  return isoOf(text, 3);
}

/** {@link wireTime} of a column that may be null. */
export function wireTimeOrNull(text: string | null): string | null {
  return text === null ? null : wireTime(text);
}
