import { append } from '../../base/append.ts';
import {
  type Field,
  GIVEN_TIME_SCHEMA,
  ID_SCHEMA,
  type JsonSchema,
  KEY_MAX_LENGTH,
  KEY_PATTERN,
  KEY_SCHEMA,
  MAX_ID,
} from '../../base/checks/fields.ts';
import {
  accepted,
  type Checked,
  type FieldIssue,
  invalidValue,
  refused,
  required,
  tooLarge,
  tooMany,
  tooSmall,
} from '../../base/checks/issues.ts';
import type { Micros } from '../../base/instant.ts';
import { JsonSource } from '../../base/json/exact-json.ts';
import { type Instant, parseTimestamp, toMicros } from '../../base/timestamps.ts';

export interface Parameter<T> {
  readonly schema: JsonSchema;
  readonly isRepeatable: boolean;
  /** Queries only; a path always has all of its parameters. */
  readonly isRequired?: true;
  /** Queries only: stands for all parameters that begin with its name and a dot, such as `metadata.owner`. */
  readonly hasMembers?: true;
  readonly description?: string;
  readonly example?: unknown;
  /** @param members names behind the dot, and their values. */
  read(values: readonly string[], name: string, members?: readonly Member[]): Checked<T>;
}

export type Member = readonly [name: string, value: string];

export function described<T>(parameter: Parameter<T>, description: string, example?: unknown): Parameter<T> {
  return { ...parameter, description, ...(example === undefined ? {} : { example }) };
}

type ReadOne<T> = (value: string, name: string) => Checked<T>;

function scalar<T, Absent>(schema: JsonSchema, absent: Absent, one: ReadOne<T>): Parameter<T | Absent> {
  return {
    schema,
    isRepeatable: false,
    read: ([value, ...others], name) => {
      if (value === undefined) {
        return accepted(absent);
      }
      return others.length > 0 ? refused(invalidValue(name, 'must be given only once')) : one(value, name);
    },
  };
}

/** A query parameter, given at most once and checked like a body's field. */
export function optionalParameter<T>(field: Field<T>): Parameter<T | undefined> {
  return scalar(field.schema, undefined, (value, name) =>
    field.read(value, name, JsonSource.of(JSON.stringify(value))),
  );
}

export function mandatoryParameter<T>(field: Field<T>): Parameter<T> {
  return mandatory(optionalParameter(field));
}

/** Refuses a query without the parameter. */
export function mandatory<T>(parameter: Parameter<T | undefined>): Parameter<T> {
  return {
    ...parameter,
    isRequired: true,
    read: (values, name) => {
      const read = parameter.read(values, name);
      if (read.ok) {
        return read.value === undefined ? refused(required(name)) : accepted(read.value);
      }
      return read;
    },
  };
}

export function anyOf<T>(parameter: Parameter<T | undefined>): Parameter<T[] | undefined> {
  return {
    schema: { type: 'array', items: parameter.schema },
    isRepeatable: true,
    read: (values, name) => {
      const read: T[] = [];
      const issues: FieldIssue[] = [];
      for (const value of new Set(values)) {
        const one = parameter.read([value], name);
        if (!one.ok) {
          append(issues, values.length > 1 ? one.issues.map((issue) => withValue(issue, value)) : one.issues);
        } else if (one.value !== undefined) {
          read.push(one.value);
        }
      }
      return issues.length > 0 ? refused(...issues) : accepted(read.length === 0 ? undefined : read);
    },
  };
}

/** Texts by names of the caller's own: `metadata.owner=Blue%20Line`. */
export function textsByName(most: number): Parameter<Readonly<Record<string, string>> | undefined> {
  return {
    schema: { type: 'object', additionalProperties: TEXT_WITHOUT_NUL, maxProperties: most },
    isRepeatable: false,
    hasMembers: true,
    read: (_, prefix, members = []) => {
      const texts = new Map(members);
      if (texts.size > most) {
        return refused(tooMany(prefix, most));
      }
      const issues = [...texts].flatMap(([name, value]) => {
        const field = `${prefix}.${name}`;
        const isTwice = members.filter(([other]) => other === name).length > 1;
        return [
          ...(name === '' ? [invalidValue(field, 'must have a name behind the dot')] : []),
          ...(isTwice ? [invalidValue(field, 'must be given only once')] : []),
          ...(field.includes('\0') || value.includes('\0')
            ? [invalidValue(field, 'must not contain the character U+0000')]
            : []),
        ];
      });
      return issues.length > 0
        ? refused(...issues)
        : accepted(texts.size === 0 ? undefined : Object.fromEntries(texts));
    },
  };
}

const TEXT_WITHOUT_NUL = { type: 'string', pattern: String.raw`^[^\u0000]*$` };

function withValue(issue: FieldIssue, value: string): FieldIssue {
  return { ...issue, params: { ...issue.params, value } };
}

export function integer<Absent>(
  range: { min: number; max: number },
  absent: Absent,
): Parameter<number | Absent> {
  const { min, max } = range;
  const schema = { type: 'integer', minimum: min, maximum: max };
  return scalar(absent === undefined ? schema : { ...schema, default: absent }, absent, (value, name) => {
    if (!/^-?\d+$/.test(value)) {
      return refused(invalidValue(name, 'must be an integer'));
    }
    const number = Number(value);
    if (number < min) {
      return refused(tooSmall(name, min));
    }
    return number > max ? refused(tooLarge(name, max)) : accepted(number);
  });
}

export const idFilter: Parameter<number | undefined> = {
  ...integer({ min: 1, max: MAX_ID }, undefined),
  schema: ID_SCHEMA,
};

export const idInPath = idFilter as Parameter<number>;

/** An invalid key is `invalid_value`, not an empty result. */
export const keyFilter: Parameter<string | undefined> = scalar(KEY_SCHEMA, undefined, (value, name) => {
  if (!KEY_PATTERN.test(value)) {
    return refused(invalidValue(name, `must match ${KEY_PATTERN.source}`));
  }
  return value.length > KEY_MAX_LENGTH
    ? refused(invalidValue(name, `must be at most ${KEY_MAX_LENGTH} characters`))
    : accepted(value);
});

export function booleanFilter<Absent>(absent: Absent): Parameter<boolean | Absent> {
  const schema = { type: 'boolean' };
  return scalar(absent === undefined ? schema : { ...schema, default: absent }, absent, (value, name) =>
    value === 'true' || value === 'false'
      ? accepted(value === 'true')
      : refused(invalidValue(name, 'must be true or false')),
  );
}

export function choiceFilter<T extends string, Absent extends T | undefined>(
  values: readonly T[],
  absent: Absent,
): Parameter<T | Absent> {
  const schema = { type: 'string', enum: values };
  return scalar<T, Absent>(
    absent === undefined ? schema : { ...schema, default: absent },
    absent,
    (value, name) => {
      const chosen = values.find((one) => one === value);
      return chosen === undefined
        ? refused(invalidValue(name, `must be one of ${values.join(', ')}`))
        : accepted(chosen);
    },
  );
}

/** Empty means absent. */
export const searchText: Parameter<string | undefined> = scalar(
  { type: 'string', pattern: String.raw`^[^\u0000-\u001f\u007f]*$` },
  undefined,
  (value, name) =>
    CONTROL_CHARACTERS.test(value)
      ? refused(invalidValue(name, 'must not contain control characters'))
      : accepted(value === '' ? undefined : value),
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Has its own message (contract 7.3). */
export const timeBound: Parameter<TimeBound | undefined> = scalar(
  GIVEN_TIME_SCHEMA,
  undefined,
  (value, name) => {
    const instant = parseTimestamp(value);
    const message = `Invalid '${name}' timestamp; expected RFC 3339, e.g. 2026-01-31T08:00:00Z`;
    return instant === null
      ? refused({ field: name, code: 'invalid_value', message: message + hintOfPlus(value) })
      : accepted({ instant, isMilliseconds: !/\.\d{4}/.test(value) });
  },
);

/** {@link timeBound} in microseconds since 1970. */
export const microsBound: Parameter<Micros | undefined> = {
  ...timeBound,
  read: (values, name) => {
    const read = timeBound.read(values, name);
    return read.ok ? accepted(read.value && toMicros(read.value.instant)) : read;
  },
};

function hintOfPlus(value: string): string {
  const isMeant = parseTimestamp(value.replace(/ (?=\d\d:\d\d$)/, '+')) !== null;
  return isMeant ? '; there is a blank where a + should be: send it as %2B' : '';
}

export interface TimeBound {
  instant: Instant;
  /** Given with at most three decimals, as the wire shows instants. */
  isMilliseconds: boolean;
}
