import { toNumber, toText } from '../values/long-number.ts';

/** Longest number, in digits, to convert: an EPC of 496 bits has 124 hex or 150 decimal digits. */
const MAX_DIGITS = 160;
const DECIMAL_DIGITS = /^\d+$/;
const HEX_DIGITS = /^[0-9A-Fa-f]+$/;

/** Also multiplies quoted numbers. */
export function scale(factor: number) {
  // Hundredths have no exact double: -7435 * 0.01 is -74.35000000000001, while -7435 / 100 is -74.35.
  const divisor = Math.round(1 / factor);
  const divides = divisor !== 0 && 1 / divisor === factor;
  return (value: unknown): number | undefined => {
    const number = toNumber(value);
    if (number === undefined) {
      return undefined;
    }
    const scaled = divides ? number / divisor : number * factor;
    return Number.isFinite(scaled) ? scaled : undefined;
  };
}

/** Zero-padded, upper case; fails if the number needs more than `width` digits. */
export function decimalToHex(width: number) {
  return (value: unknown): string | undefined => convert(toText(value), DECIMAL_DIGITS, '', 16, width);
}

/** Zero-padded; fails if the number needs more than `width` digits. */
export function hexToDecimal(width: number) {
  return (value: unknown): string | undefined =>
    typeof value === 'string' ? convert(value, HEX_DIGITS, '0x', 10, width) : undefined;
}

function convert(
  text: string | undefined,
  digits: RegExp,
  prefix: string,
  radix: number,
  width: number,
): string | undefined {
  if (text === undefined || text.length > MAX_DIGITS || !digits.test(text)) {
    return undefined;
  }
  const converted = BigInt(`${prefix}${text}`).toString(radix).toUpperCase().padStart(width, '0');
  return width !== 0 && converted.length > width ? undefined : converted;
}
