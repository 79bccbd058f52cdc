import type { Micros } from '../../../../shared/instant.ts';
import type { Compilation } from '../../compilation.ts';
import { type Civil, instantOf, microsOfFraction } from './civil.ts';
import { namedZone, type Zone, zoneOfOffset } from './zone.ts';

const MAX_LENGTH = 64;
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|z|[+-]\d\d(?::?\d\d)?)?$/;

/**
 * The instant of an RFC 3339 date and time. Tolerated beyond it: offsets without a colon or minutes (`+0000`,
 * `-06`). Digits finer than a microsecond are cut off. Without an offset it is no instant.
 */
export function rfc3339(value: unknown): Micros | undefined {
  return read(value, undefined);
}

/** As {@link rfc3339}; a time without an offset is meant in the zone of that name. */
export function compileRfc3339(zoneName: string, at: string, compilation: Compilation) {
  const zone = namedZone(zoneName);
  if (zone === undefined) {
    compilation.fault(`${at}/zone`, `is not the name of a time zone: ${JSON.stringify(zoneName)}`);
  }
  return (value: unknown): Micros | undefined => read(value, zone);
}

function read(value: unknown, zone: Zone | undefined): Micros | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) {
    return undefined;
  }
  const match = DATE_TIME.exec(value);
  if (match === null) {
    return undefined;
  }
  const there = match[8] === undefined ? zone : zoneOfOffset(match[8]);
  return there === undefined ? undefined : instantOf(civilOf(match), there);
}

function civilOf(match: RegExpExecArray): Civil {
  return {
    year: Number(match[1]),
    month: Number(match[2]),
    day: Number(match[3]),
    hour: Number(match[4]),
    minute: Number(match[5]),
    second: Number(match[6]),
    micros: match[7] === undefined ? 0 : microsOfFraction(match[7]),
  };
}
