import type { Json } from '../json/exact-json.ts';
import { fromDatabase, type Instant, parseTimestamp, toWire } from '../timestamps.ts';

export function sameScalar(value: Json, stored: string | number | boolean | null): boolean {
  return value === stored;
}

/** Equal instants, or equal as the wire shows them: the stored one may have finer digits. */
export function sameInstant(given: Instant, stored: string): boolean {
  const instant = fromDatabase(stored);
  return given === instant || given === parseTimestamp(toWire(instant));
}

/** {@link sameInstant} for a JSON value in any RFC 3339 form, or null. */
export function sameTime(value: Json, stored: string | null): boolean {
  if (typeof value !== 'string' || stored === null) {
    return value === stored;
  }
  const given = parseTimestamp(value);
  return given !== null && sameInstant(given, stored);
}
