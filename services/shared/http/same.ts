import { isArray, isExactNumber, isJsonObject, type Json } from './exact-json.ts';
import { fromDatabase, type Instant, parseTimestamp, toWire } from './timestamps.ts';

/** Whether two JSON values say the same: the order of keys does not matter, the digits of numbers do. */
export function sameJson(a: Json, b: Json): boolean {
  if (isExactNumber(a) || isExactNumber(b)) {
    return isExactNumber(a) && isExactNumber(b) && a.rawJSON === b.rawJSON;
  }
  if (isArray(a) && isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null));
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
    );
  }
  return a === b;
}

/** Whether a JSON value is a scalar of the database, exactly. */
export function sameScalar(value: Json, stored: string | number | boolean | null): boolean {
  return (isExactNumber(value) ? Number(value.rawJSON) : value) === stored;
}

/** Whether an instant is the one stored, or is what the wire shows of it: the stored one may have finer digits. */
export function sameInstant(given: Instant, stored: string): boolean {
  const instant = fromDatabase(stored);
  return given === instant || given === parseTimestamp(toWire(instant));
}

/** {@link sameInstant} of a JSON value in any RFC 3339 form, or of null. */
export function sameTime(value: Json, stored: string | null): boolean {
  if (typeof value !== 'string' || stored === null) {
    return value === stored;
  }
  const given = parseTimestamp(value);
  return given !== null && sameInstant(given, stored);
}
