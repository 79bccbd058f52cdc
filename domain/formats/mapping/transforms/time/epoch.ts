import type { Micros } from '../../../../../base/instant.ts';
import type { EpochUnit } from '../../language/definition.ts';
import { toText } from '../../values/long-number.ts';

/** Decimal places by which each unit is coarser than a microsecond. */
const PLACES = { s: 6, ms: 3, us: 0, ns: -3 } as const;

const MAX_LENGTH = 40;
const DECIMAL = /^(\d+)(?:\.(\d*))?$/;

/**
 * Reads a count of `unit` since 1970 (a number, or its digits as text, with or without a fraction) as an
 * instant; finer digits are cut off. `auto` infers the unit from the size: below 1e11 seconds, below 1e14
 * milliseconds, below 1e17 microseconds, else nanoseconds.
 */
export function compileEpoch(unit: EpochUnit): (value: unknown) => Micros | undefined {
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value)
      ? ofInteger(value, placesOf(unit, value))
      : ofText(toText(value), unit);
}

function placesOf(unit: EpochUnit, count: number): number {
  if (unit !== 'auto') {
    return PLACES[unit];
  }
  if (count < 1e11) {
    return PLACES.s;
  }
  if (count < 1e14) {
    return PLACES.ms;
  }
  return count < 1e17 ? PLACES.us : PLACES.ns;
}

/** Exact for every valid time of observation: the product is then below 2^53. */
function ofInteger(count: number, places: number): Micros {
  return places >= 0 ? count * 10 ** places : Math.floor(count / 10 ** -places);
}

/** Moves the decimal point in the text: seconds with a fraction have no exact double. */
function ofText(text: string | undefined, unit: EpochUnit): Micros | undefined {
  if (text === undefined || text.length > MAX_LENGTH) {
    return undefined;
  }
  const match = DECIMAL.exec(text.trim());
  if (match === null) {
    return undefined;
  }
  const whole = match[1] ?? '';
  const places = placesOf(unit, Number(whole));
  if (places < 0) {
    return Number(whole.slice(0, places));
  }
  return Number(whole + (match[2] ?? '').slice(0, places).padEnd(places, '0'));
}
