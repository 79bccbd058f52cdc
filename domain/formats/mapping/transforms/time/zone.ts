import { offsetsOf, timeZoneNamed } from '../../../../../base/time-zones.ts';

/** A time zone: maps local time, as if it were UTC, to its offset from UTC; both in milliseconds. */
export type Zone = (local: number) => number;

export const UTC: Zone = () => 0;

const OFFSET = /^([+-])(\d{1,2})(?::?(\d{2}))?$/;
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** Zone of an offset such as `Z`, `+02`, `+0200`, `-6:00`. Undefined if invalid. */
export function zoneOfOffset(text: string): Zone | undefined {
  if (text === 'Z' || text === 'z') {
    return UTC;
  }
  const match = OFFSET.exec(text);
  const hours = Number(match?.[2]);
  const minutes = Number(match?.[3] ?? 0);
  if (match === null || hours > 23 || minutes > 59) {
    return undefined;
  }
  const offset = (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
  return () => offset;
}

/**
 * Zone by its IANA name, or an offset. Undefined if unknown. An ambiguous local time is the earlier one; a skipped one
 * counts as if the clock had not been put forward yet.
 */
export function namedZone(name: string): Zone | undefined {
  const fixed = name === 'UTC' ? UTC : zoneOfOffset(name);
  if (fixed !== undefined) {
    return fixed;
  }
  if (timeZoneNamed(name) === null) {
    return undefined;
  }
  const offsetAt = offsetsOf(name);
  return (local) => {
    const before = offsetAt(local - DAY);
    const after = offsetAt(local + DAY);
    return before === after || offsetAt(local - before) === before || offsetAt(local - after) !== after
      ? before
      : after;
  };
}
