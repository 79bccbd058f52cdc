import { isArray, type Json } from '../json/exact-json.ts';
import type { JsonSource } from '../json/json-source.ts';
import type { Field, JsonSchema } from './fields.ts';
import { accepted, type Checked, gathered, refused, tooFew, tooLarge, tooMany, tooSmall } from './issues.ts';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_DIGITS = 19;

interface Range {
  min: number;
  max: number;
}

/** Fractions and what no int64 holds are a wrong type; the rest is range-checked (contract 4.3). */
export function integer(range: Range, schema: JsonSchema): Field<number> {
  return {
    schema,
    mismatch: (value, source) => (typeof value === 'number' && integerIn(source.text) !== null ? null : ''),
    read: (_, name, source) => inRange(integerIn(source.text), name, range),
  };
}

/**
 * A list of integers. An `arrayOf(integer(...))` finds each member in the text from its beginning on: 10,000 took
 * minutes. The members of a list of numbers are what is between its commas.
 */
export function integers(
  range: Range,
  item: JsonSchema,
  { min = 0, max }: { min?: number; max: number },
): Field<number[]> {
  return {
    schema: { type: 'array', items: item, ...(min === 0 ? {} : { minItems: min }), maxItems: max },
    mismatch: (value, source) => {
      if (!isArray(value)) {
        return '';
      }
      const other = value.findIndex((member) => typeof member !== 'number');
      const wrong = other === -1 ? membersOf(value, source).indexOf(null) : other;
      return wrong === -1 ? null : `[${wrong}]`;
    },
    read: (value, name, source) => {
      const list = value as readonly Json[];
      if (list.length > max) {
        return refused(tooMany(name, max));
      }
      if (list.length < min) {
        return refused(tooFew(name, min));
      }
      const reads = membersOf(list, source).map((member, index) =>
        inRange(member, `${name}[${index}]`, range),
      );
      const refusals = reads.filter((read) => !read.ok);
      return refusals.length > 0
        ? gathered(refusals)
        : accepted(reads.flatMap((read) => (read.ok ? [read.value] : [])));
    },
  };
}

function membersOf(list: readonly Json[], source: JsonSource): (bigint | null)[] {
  return list.length === 0
    ? []
    : source.text
        .slice(1, -1)
        .split(',')
        .map((text) => integerIn(text.trim()));
}

function inRange(given: bigint | null, name: string, { min, max }: Range): Checked<number> {
  if (given === null || given < min) {
    return refused(tooSmall(name, min));
  }
  return given > max ? refused(tooLarge(name, max)) : accepted(Number(given));
}

/** The integer that a number's text denotes, in whatever notation; null for a fraction. */
function integerIn(text: string): bigint | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const shift = Number(exponent) - fraction.length;
  // Digits other than zero cut off by a negative shift make it a fraction.
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
