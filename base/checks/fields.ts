import { isArray, isJsonObject, type Json, traitsOf } from '../json/exact-json.ts';
import type { JsonSource } from '../json/json-source.ts';
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
