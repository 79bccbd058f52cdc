import type { Micros } from '../../../../../base/instant.ts';
import type { Compilation } from '../../language/compilation.ts';
import { instantOf } from './civil.ts';
import { digits, endOfDigits, microsOfFraction } from './digits.ts';
import { namedZone, type Zone, zoneOfOffset } from './zone.ts';

const MAX_LENGTH = 64;

/**
 * RFC 3339 date and time to an instant. Also accepts offsets without a colon or minutes (`+0000`, `-06`), but
 * requires an offset. Digits finer than a microsecond are cut off.
 */
export function rfc3339(value: unknown): Micros | undefined {
  return read(value, undefined);
}

/** {@link rfc3339} with a named zone for times without an offset. */
export function compileRfc3339(zoneName: string, at: string, compilation: Compilation) {
  const zone = namedZone(zoneName);
  if (zone === undefined) {
    compilation.fault(`${at}/zone`, `is not the name of a time zone: ${JSON.stringify(zoneName)}`);
  }
  return (value: unknown): Micros | undefined => read(value, zone);
}

/**
 * Character by character: a regular expression would allocate nine strings and an array per time, a twentieth
 * of a read's garbage.
 */
function read(value: unknown, zone: Zone | undefined): Micros | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !hasSeparators(value)) {
    return undefined;
  }
  const endOfFraction = isPoint(value, SECONDS_END) ? endOfDigits(value, SECONDS_END + 1) : SECONDS_END;
  if (endOfFraction === SECONDS_END + 1) {
    return undefined;
  }
  const there = endOfFraction === value.length ? zone : zoneOfOffset(value.slice(endOfFraction));
  const year = digits(value, 0, 4);
  const month = digits(value, 5, 7);
  const day = digits(value, 8, 10);
  const hour = digits(value, 11, 13);
  const minute = digits(value, 14, 16);
  const second = digits(value, 17, SECONDS_END);
  if (there === undefined || year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0) {
    return undefined;
  }
  const micros = microsOfFraction(value, SECONDS_END + 1, endOfFraction);
  return instantOf({ year, month, day, hour, minute, second, micros }, there);
}

/** Length of `2026-05-01T10:00:00`. */
const SECONDS_END = 19;

function hasSeparators(value: string): boolean {
  const between = value[10];
  return (
    value.length >= SECONDS_END &&
    value[4] === '-' &&
    value[7] === '-' &&
    (between === 'T' || between === 't' || between === ' ') &&
    value[13] === ':' &&
    value[16] === ':'
  );
}

function isPoint(value: string, at: number): boolean {
  return value[at] === '.' || value[at] === ',';
}
