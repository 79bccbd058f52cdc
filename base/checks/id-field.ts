import type { Json } from '../json/exact-json.ts';
import type { JsonSource } from '../json/json-source.ts';
import type { Field, JsonSchema } from './fields.ts';
import { accepted, refused, tooLarge, tooSmall } from './issues.ts';

/** Contract 2.1. */
export const MAX_ID = 2_147_483_647;

export const ID_SCHEMA: JsonSchema = { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID };

const INT64_MAX = 2n ** 63n - 1n;
const INT64_DIGITS = 19;

/** Fractions and what no int64 holds are a wrong type; the rest is range-checked (contract 4.3). */
export const id: Field<number> = {
  schema: ID_SCHEMA,
  mismatch: (value, source) => (integerOf(value, source) === null ? '' : null),
  read: (value, name, source) => {
    const integer = integerOf(value, source) ?? 0n;
    if (integer < 1n) {
      return refused(tooSmall(name, 1));
    }
    return integer > MAX_ID ? refused(tooLarge(name, MAX_ID)) : accepted(Number(integer));
  },
};

/** The integer that a number's text denotes, in whatever notation; null for a fraction. */
function integerOf(value: Json, source: JsonSource): bigint | null {
  if (typeof value !== 'number') {
    return null;
  }
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source.text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const shift = Number(exponent) - fraction.length;
  // What a negative shift cuts off makes a fraction, unless it is zeros.
  if (digits === '' || (shift < 0 && /[^0]/.test(digits.slice(shift)))) {
    return digits === '' ? 0n : null;
  }
  if (digits.length + shift > INT64_DIGITS) {
    return null;
  }
  const integer = BigInt(sign + (shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift)));
  return integer > INT64_MAX || integer < -INT64_MAX - 1n ? null : integer;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
