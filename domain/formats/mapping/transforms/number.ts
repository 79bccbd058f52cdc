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

export function offset(added: number) {
  return (value: unknown): number | undefined => {
    const number = toNumber(value);
    const sum = number === undefined ? Number.NaN : number + added;
    return Number.isFinite(sum) ? sum : undefined;
  };
}

/** Two's complement: of hex digits, exactly as many as the bits have, or of a number read as unsigned. */
export function signed(bits: 8 | 16 | 32) {
  const greatest = 2 ** (bits - 1);
  return (value: unknown): number | undefined => {
    const number =
      typeof value === 'string' && value.length === bits / 4 && HEX_DIGITS.test(value)
        ? Number.parseInt(value, 16)
        : value;
    if (
      typeof number !== 'number' ||
      !Number.isInteger(number) ||
      number < -greatest ||
      number >= 2 * greatest
    ) {
      return undefined;
    }
    return number >= greatest ? number - 2 * greatest : number;
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
