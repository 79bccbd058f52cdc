import { isArray, isJsonObject, type Json, type JsonSource, traitsOf } from '../json/exact-json.ts';
import { type Instant, parseTimestamp, sentinelOf } from '../timestamps.ts';
import {
  accepted,
  type Checked,
  type FieldIssue,
  gathered,
  invalidValue,
  refused,
  tooFew,
  tooLarge,
  tooLong,
  tooMany,
  tooShort,
  tooSmall,
} from './issues.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Field<T> {
  readonly schema: JsonSchema;
  /**
   * Path of a wrong JSON type: `''` for the value itself, `[0].value` for something inside it, null for none.
   * Wrong types and wrong values are different errors (contract 7.2).
   */
  mismatch(value: Json, source: JsonSource): string | null;
  read(value: Json, name: string, source: JsonSource): Checked<T>;
}

const TEXT_PATTERN = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$`;

/** C0 control characters other than TAB, LF and CR, and DEL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const FORBIDDEN_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** With U+001D, which codes have between their parts. */
const CODE_PATTERN = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001c\u001e\u001f\u007f]*$`;

/** As {@link text}, but U+001D is allowed. */
export function code(max: number): Field<string> {
  const plain = text(max);
  return {
    ...plain,
    schema: { ...plain.schema, pattern: CODE_PATTERN },
    read: (value, name, source) => {
      const read = plain.read(String(value).replaceAll('\u001d', ' '), name, source);
      return read.ok ? accepted(value as string) : read;
    },
  };
}

/** 1 to `max` Unicode code points without control characters; surrounding blanks are kept. */
export function text(max: number): Field<string> {
  return {
    schema: { type: 'string', minLength: 1, maxLength: max, pattern: TEXT_PATTERN },
    mismatch: notAString,
    read: (value, name) => {
      const string = value as string;
      const issue =
        lengthIssue(string, max, name) ??
        (FORBIDDEN_CHARACTERS.test(string)
          ? invalidValue(name, 'must not contain control characters')
          : null);
      return issue === null ? accepted(string) : refused(issue);
    },
  };
}

function lengthIssue(string: string, max: number, name: string): FieldIssue | null {
  if (string === '') {
    return tooShort(name, 1);
  }
  return string.length > max && [...string].length > max ? tooLong(name, max) : null;
}

export const KEY_PATTERN = /^[A-Za-z0-9-]+$/;
export const KEY_MAX_LENGTH = 255;
export const KEY_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: KEY_PATTERN.source,
  minLength: 1,
  maxLength: KEY_MAX_LENGTH,
};

/** Contract 2.1. */
export const externalKey: Field<string> = {
  schema: KEY_SCHEMA,
  mismatch: notAString,
  read: (value, name) => {
    const key = value as string;
    const issue =
      lengthIssue(key.trim() === '' ? '' : key, KEY_MAX_LENGTH, name) ??
      (KEY_PATTERN.test(key) ? null : invalidValue(name, `must match ${KEY_PATTERN.source}`));
    return issue === null ? accepted(key) : refused(issue);
  },
};

export function choice<T extends string>(values: readonly T[]): Field<T> {
  return {
    schema: { type: 'string', enum: values },
    mismatch: notAString,
    read: (value, name) => {
      const found = values.find((candidate) => candidate === value);
      return found === undefined
        ? refused(invalidValue(name, `must be one of: ${values.join(', ')}`, { allowed_values: values }))
        : accepted(found);
    },
  };
}

export const flag: Field<boolean> = {
  schema: { type: 'boolean' },
  mismatch: (value) => (typeof value === 'boolean' ? null : ''),
  read: (value) => accepted(value as boolean),
};

export function decimal({ min, max }: { min: number; max: number }): Field<number> {
  return {
    schema: { type: 'number', minimum: min, maximum: max },
    mismatch: (value) => (typeof value === 'number' ? null : ''),
    read: (value, name) => {
      const number = value as number;
      if (number < min) {
        return refused(tooSmall(name, min));
      }
      return number > max ? refused(tooLarge(name, max)) : accepted(number);
    },
  };
}

/** Kept as the text that was sent. U+0000 is refused: the database cannot hold it. */
export const jsonObject: Field<string> = {
  schema: {
    type: 'object',
    propertyNames: { pattern: String.raw`^[^\u0000]*$` },
    additionalProperties: true,
  },
  mismatch: () => null,
  read: (value, name, source) => {
    if (!isJsonObject(value)) {
      return refused(invalidValue(name, 'must be a JSON object'));
    }
    const { text: sent } = source;
    return traitsOf(sent).hasNul
      ? refused(invalidValue(name, 'must not contain the character U+0000'))
      : accepted(sent);
  },
};

/** Default bound of an array's length. Each item may be wrong, and all of that is answered. */
const MAX_ITEMS = 10_000;

export function arrayOf<T>(item: Field<T>, { min = 0, max = MAX_ITEMS } = {}): Field<T[]> {
  return {
    schema: {
      type: 'array',
      items: item.schema,
      ...(min === 0 ? {} : { minItems: min }),
      maxItems: max,
    },
    mismatch: (value, source) => {
      if (!isArray(value)) {
        return '';
      }
      for (const [index, element] of value.entries()) {
        const inside = item.mismatch(element, source.element(index));
        if (inside !== null) {
          return `[${index}]${inside}`;
        }
      }
      return null;
    },
    read: (value, name, source) => {
      const elements = value as readonly Json[];
      if (elements.length > max) {
        return refused(tooMany(name, max));
      }
      if (elements.length < min) {
        return refused(tooFew(name, min));
      }
      const reads = elements.map((element, index) =>
        item.read(element, `${name}[${index}]`, source.element(index)),
      );
      const refusals = reads.filter((read) => !read.ok);
      return refusals.length > 0
        ? gathered(refusals)
        : accepted(reads.flatMap((read) => (read.ok ? [read.value] : [])));
    },
  };
}

function notAString(value: Json): string | null {
  return typeof value === 'string' ? null : '';
}

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

function inRange(given: bigint | null, name: string, { min, max }: Range): Checked<number> {
  if (given === null || given < min) {
    return refused(tooSmall(name, min));
  }
  return given > max ? refused(tooLarge(name, max)) : accepted(Number(given));
}

/** The integer that a number's text denotes, in any notation; null for a fraction. */
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

/** Contract 2.1. */
export const MAX_ID = 2_147_483_647;

export const ID_SCHEMA: JsonSchema = { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID };

const RANGE = { min: 1, max: MAX_ID };

export const id = integer(RANGE, ID_SCHEMA);

/** Up to `max` ids, and at least `min`. */
export function ids(max: number, min = 0): Field<number[]> {
  return arrayOf(id, { min, max });
}

/** Contract 2.7, in answers. */
export const TIME_SCHEMA: JsonSchema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
};

const TIME_PATTERN = String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`;

export const GIVEN_TIME_SCHEMA: JsonSchema = { type: 'string', format: 'date-time', pattern: TIME_PATTERN };

/** Instants that programs send when they mean "not set" (contract 2.7). */
const SENTINEL_PATTERN = String.raw`^(0001|1970)-01-01[Tt]00:00:00(\.0{1,3}|\.000\d{1,6})?([Zz]|[+-]00:00)$`;

/** Any instant. Any other type than string is a wrong value, not a wrong type. */
export const instant: Field<Instant> = {
  schema: GIVEN_TIME_SCHEMA,
  mismatch: () => null,
  read: (value, name) => {
    const parsed = typeof value === 'string' ? parseTimestamp(value) : null;
    return parsed === null ? refused(invalidValue(name, 'must be an RFC 3339 timestamp')) : accepted(parsed);
  },
};

/** Contract 2.7. */
export const timestamp = exceptSentinels(
  (sentinel) => `must not be a default-value sentinel (${sentinel}); use JSON null to leave the field unset`,
);

export function exceptSentinels(message: (sentinel: string) => string): Field<Instant> {
  return {
    ...instant,
    schema: { ...GIVEN_TIME_SCHEMA, not: { type: 'string', pattern: SENTINEL_PATTERN } },
    read: (value, name, source) => {
      const given = instant.read(value, name, source);
      const sentinel = given.ok ? sentinelOf(given.value) : null;
      return sentinel === null ? given : refused(invalidValue(name, message(sentinel)));
    },
  };
}
