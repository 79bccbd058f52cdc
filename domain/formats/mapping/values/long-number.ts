import { MAX_TEXT } from './limits.ts';

/**
 * A number with more digits than a double holds, kept as text: epoch nanoseconds exceed 2^53, and a double
 * would lose the microsecond.
 */
export class LongNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Static, because a definition's pointer must not find anything below a number. */
  static text(number: LongNumber): string {
    return number.#text;
  }
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A finite number, or its decimal digits as text (blanks allowed). */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : undefined;
  }
  const text = value instanceof LongNumber ? LongNumber.text(value) : value;
  if (typeof text !== 'string' || text.length > MAX_TEXT) {
    return undefined;
  }
  const trimmed = text.trim();
  if (!DECIMAL.test(trimmed)) {
    return undefined;
  }
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}

export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? String(value) : undefined;
  }
  return value instanceof LongNumber ? LongNumber.text(value) : undefined;
}

export function exactInteger(value: bigint): number | LongNumber {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new LongNumber(String(value));
}
