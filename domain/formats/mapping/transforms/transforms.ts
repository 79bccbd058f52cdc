import { MICROS_PER_MILLISECOND, type Micros } from '../../../../base/instant.ts';
import type { Compilation } from '../language/compilation.ts';
import type { ParameterTransform, PlainTransform, TransformDefinition } from '../language/definition.ts';
import { toNumber } from '../values/long-number.ts';
import { eddystoneUid, ibeacon } from './beacon.ts';
import { decimalToHex, hexToDecimal, offset, scale, signed } from './number.ts';
import { base64ToHex, code, hex, mac, reverseBytes, substring, upper } from './text.ts';
import { instantOf } from './time/civil.ts';
import { compileDatePattern } from './time/date-pattern.ts';
import { digits, endOfDigits, microsOfFraction } from './time/digits.ts';
import { compileEpoch } from './time/epoch.ts';
import { namedZone, type Zone, zoneOfOffset } from './time/zone.ts';

/** Converts a value; undefined if it cannot, and then the next candidate is tried. Never throws. */
export type Transform = (value: unknown) => string | number | undefined;

const PLAIN: Readonly<Record<PlainTransform, Transform>> = {
  number: toNumber,
  hex,
  'base64-to-hex': base64ToHex,
  mac,
  upper,
  'decimal-to-hex': decimalToHex(0),
  'hex-to-decimal': hexToDecimal(0),
  ibeacon,
  eddystone: eddystoneUid,
  rfc3339,
  time,
  code,
  int8: signed(8),
  int16: signed(16),
  int32: signed(32),
  'reverse-bytes': reverseBytes,
};

export function compileTransforms(
  definitions: readonly TransformDefinition[] | undefined,
  at: string,
  compilation: Compilation,
): Transform | undefined {
  const [first, ...more] = (definitions ?? []).map((definition, index) =>
    typeof definition === 'string'
      ? PLAIN[definition]
      : compileParameterTransform(definition, `${at}/${index}`, compilation),
  );
  if (first === undefined || more.length === 0) {
    return first;
  }
  return (value) => {
    let result = first(value);
    for (const transform of more) {
      if (result === undefined) {
        return undefined;
      }
      result = transform(result);
    }
    return result;
  };
}

/** True if the result is an instant in microseconds. */
export function isTimeTransform(definition: TransformDefinition | undefined): boolean {
  return (
    definition === 'rfc3339' ||
    definition === 'time' ||
    (typeof definition === 'object' &&
      ('rfc3339' in definition || 'epoch' in definition || 'date' in definition))
  );
}

function compileParameterTransform(
  definition: ParameterTransform,
  at: string,
  compilation: Compilation,
): Transform {
  if (definition.scale !== undefined) {
    return scale(definition.scale);
  }
  if (definition.offset !== undefined) {
    return offset(definition.offset);
  }
  if (definition.substring !== undefined) {
    return substring(...definition.substring);
  }
  if (definition['decimal-to-hex'] !== undefined) {
    return decimalToHex(definition['decimal-to-hex']);
  }
  if (definition['hex-to-decimal'] !== undefined) {
    return hexToDecimal(definition['hex-to-decimal']);
  }
  if (definition.epoch !== undefined) {
    return compileEpoch(definition.epoch);
  }
  if (definition.rfc3339 !== undefined) {
    return compileRfc3339(definition.rfc3339.zone, `${at}/rfc3339`, compilation);
  }
  return compileDatePattern(definition.date ?? { pattern: '' }, `${at}/date`, compilation);
}

const MAX_RFC3339_LENGTH = 64;

/**
 * RFC 3339 date and time to an instant. Also accepts offsets without a colon or minutes (`+0000`, `-06`), but
 * requires an offset. Digits finer than a microsecond are cut off.
 */
function rfc3339(value: unknown): Micros | undefined {
  return read(value, undefined);
}

/** Any unambiguous notation: RFC 3339, or a count since 1970 whose size tells its unit. */
function time(value: unknown): Micros | undefined {
  return rfc3339(value) ?? epochOfAnyUnit(value);
}

/** Counts of before 2020 leave doubt: 17 days since a device's start, in ms, would be 2017 in s. They are no times of a set clock. */
function epochOfAnyUnit(value: unknown): Micros | undefined {
  const counted = epoch(value);
  return counted !== undefined && counted < DOUBTLESS ? 0 : counted;
}

const epoch = compileEpoch('auto');
const DOUBTLESS: Micros = Date.UTC(2020, 0, 1) * MICROS_PER_MILLISECOND;

/** {@link rfc3339} with a named zone for times without an offset. */
function compileRfc3339(zoneName: string, at: string, compilation: Compilation) {
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
  if (typeof value !== 'string' || value.length > MAX_RFC3339_LENGTH || !hasSeparators(value)) {
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
