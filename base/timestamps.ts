import { MICROS_PER_MILLISECOND, type Micros } from './instant.ts';

/**
 * An instant as text, `YYYY-MM-DDTHH:MM:SS.ffffffZ` (UTC, microseconds, comparable as text), so that no digit is lost
 * between wire and database (contract 2.7).
 */
export type Instant = string & { readonly [instant]: true };
declare const instant: unique symbol;

/** Sent by programs that mean "not set"; refused on write. */
const SENTINELS = ['0001-01-01T00:00:00', '1970-01-01T00:00:00'];

/**
 * Reads RFC 3339 with any offset and up to nine decimals; six are kept. A leap second becomes the second after
 * it.
 *
 * @returns null if invalid, or outside the years 0000 to 9999 in UTC.
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

/** Leap seconds end a month in UTC, so the following second starts one. */
function isStartOfMonth(date: Date): boolean {
  return date.toISOString().endsWith('-01T00:00:00.000Z');
}

/**
 * The sentinel in its usual form, or null. Compared as the wire shows it, or a value could be written once and never
 * sent back.
 */
export function sentinelOf(value: Instant): string | null {
  const sentinel = SENTINELS.find((seconds) => toWire(value) === `${seconds}.000Z`);
  return sentinel === undefined ? null : `${sentinel}Z`;
}

/** PostgreSQL has no year zero: the year before 0001 is 0001 BC. */
export function toDatabase(value: Instant): string {
  return value.startsWith('0000') ? `0001${value.slice(4)} BC` : value;
}

/** Parses the text of a `timestamptz` in a UTC session: `2026-05-01 10:00:00.123456+00`. */
export function fromDatabase(text: string): Instant {
  return isoOf(text, 6) as Instant;
}

/** @param digits decimals to keep; the rest is cut off. */
function isoOf(text: string, digits: number): string {
  const year = text.endsWith(' BC') ? '0000' : text.slice(0, 4);
  const fraction = text[19] === '.' ? text.slice(20, text.indexOf('+')) : '';
  return `${year}${text.slice(4, 10)}T${text.slice(11, 19)}.${fraction.padEnd(digits, '0').slice(0, digits)}Z`;
}

export function toWire(value: Instant): string {
  return `${value.slice(0, 23)}Z`;
}

/** Exact from 1684 to 2255. */
export function toMicros(value: Instant): Micros {
  return Date.parse(`${value.slice(0, 23)}Z`) * MICROS_PER_MILLISECOND + Number(value.slice(23, 26));
}

export function wireTimeOfMicros(micros: Micros): string {
  return new Date(Math.floor(micros / MICROS_PER_MILLISECOND)).toISOString();
}

/** A database `timestamptz` in wire format. Hot: a page of 50 assets has up to 250 of them. */
export function wireTime(text: string): string {
  return isoOf(text, 3);
}

export function wireTimeOrNull(text: string | null): string | null {
  return text === null ? null : wireTime(text);
}

/** Equal instants, or equal as the wire shows them: the stored one may have finer digits. */
export function sameInstant(given: Instant, stored: string): boolean {
  const instant = fromDatabase(stored);
  return given === instant || given === parseTimestamp(toWire(instant));
}

/** {@link sameInstant} for a JSON value in any RFC 3339 form, or null. */
export function sameTime(value: unknown, stored: string | null): boolean {
  if (typeof value !== 'string' || stored === null) {
    return value === stored;
  }
  const given = parseTimestamp(value);
  return given !== null && sameInstant(given, stored);
}
