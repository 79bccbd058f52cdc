import type { Json, JsonObject } from './exact-json.ts';
import type { Field, JsonSchema } from './fields.ts';
import {
  accepted,
  type FieldIssue,
  invalidValue,
  type Read,
  readOnly,
  required,
  unknownField,
} from './issues.ts';

/** What a key of a body may be: a value to write, or a read-only one that is tolerated where it changes nothing. */
export type Member<Current = never> = Writable<unknown> | ReadOnly<Current>;

export interface Writable<T> {
  kind: 'writable';
  field: Field<unknown>;
  isRequired: boolean;
  isNullable: boolean;
  /** Null counts as absence. */
  nullIsAbsent: boolean;
  /** The type of the member's value once it is read; never a value. */
  readonly type?: T;
}

export interface ReadOnly<Current> {
  kind: 'readOnly';
  /** The message of the refusal. */
  message: string;
  /** Of a value that can be tolerated; null if none is. */
  schema: JsonSchema | null;
  isCurrent(value: Json, current: Current): boolean;
}

export type Members<Current = never> = Readonly<Record<string, Member<Current>>>;

/** What the writable members are read into: undefined where the key was absent, null where it was null. */
export type Values<M> = { [K in keyof M as M[K] extends Writable<unknown> ? K : never]: ValueOf<M[K]> };
type ValueOf<M> = M extends Writable<infer T> ? T : never;

const PLAIN = { kind: 'writable', isRequired: false, isNullable: false, nullIsAbsent: false } as const;

export function mandatory<T>(field: Field<T>): Writable<T> {
  return { ...PLAIN, field, isRequired: true };
}

/** Mandatory, and null is no better than nothing. */
export function mandatoryNotNull<T>(field: Field<T>): Writable<T> {
  return { ...PLAIN, field, isRequired: true, nullIsAbsent: true };
}

export function optional<T>(field: Field<T>): Writable<T | undefined> {
  return { ...PLAIN, field };
}

export function nullable<T>(field: Field<T>): Writable<T | null | undefined> {
  return { ...PLAIN, field, isNullable: true };
}

/** A key that can never be written here. */
export function refusedMember(message: string): ReadOnly<unknown> {
  return { kind: 'readOnly', message, schema: null, isCurrent: () => false };
}

/** A key that is tolerated if it says what is so already. */
export function unchanged<Current>(
  schema: JsonSchema,
  message: string,
  isCurrent: (value: Json, current: Current) => boolean,
): ReadOnly<Current> {
  return { kind: 'readOnly', message, schema, isCurrent };
}

/** Where in an object a JSON type is wrong: the first place in document order, or null. */
export function mismatchOf(members: Members<never>, object: JsonObject): string | null {
  for (const [key, value] of Object.entries(object)) {
    const member = Object.hasOwn(members, key) ? members[key] : undefined;
    if (member?.kind === 'writable' && value !== null) {
      const inside = member.field.mismatch(value);
      if (inside !== null) {
        return key + inside;
      }
    }
  }
  return null;
}

/** How an object is read besides its members. */
export interface Reading<Current> {
  /** What a message advises instead of a null that is refused, where the member may be left out. */
  nullAdvice: string;
  /** Put in front of every field's name: `tags[0].`. */
  prefix: string;
  current: Current;
}

/**
 * Reads the members of an object whose JSON types fit, or says everything that is wrong: members in the order they
 * are declared in, then unknown keys in alphabetical order.
 */
export function readMembers<Current, M extends Members<Current>>(
  members: M,
  object: JsonObject,
  reading: Reading<Current>,
): Read<Values<M>> {
  const values: Record<string, unknown> = {};
  const found: FieldIssue[][] = [];
  for (const [key, member] of Object.entries<Member<Current>>(members)) {
    const read = readMember(member, key, object, reading);
    if (read.ok) {
      values[key] = read.value;
    } else {
      found.push(read.issues);
    }
  }
  const unknown = Object.keys(object).filter((key) => !Object.hasOwn(members, key));
  found.push(
    unknown.sort().map((key) => unknownField(reading.prefix + key, `unknown field "${key}" in request body`)),
  );
  const issues = found.flat();
  return issues.length > 0 ? { ok: false, issues } : accepted(values as Values<M>);
}

function readMember<Current>(
  member: Member<Current>,
  key: string,
  object: JsonObject,
  { nullAdvice, prefix, current }: Reading<Current>,
): Read<unknown> {
  const name = prefix + key;
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (member.kind === 'readOnly') {
    return value === undefined || member.isCurrent(value, current)
      ? accepted(undefined)
      : { ok: false, issues: [readOnly(name, member.message)] };
  }
  if (value === undefined || (value === null && member.nullIsAbsent)) {
    return member.isRequired ? { ok: false, issues: [required(name)] } : accepted(undefined);
  }
  if (value === null) {
    const advice = member.isRequired ? '' : `; ${nullAdvice}`;
    return member.isNullable
      ? accepted(null)
      : { ok: false, issues: [invalidValue(name, `cannot be null${advice}`)] };
  }
  return member.field.read(value, name);
}

/** How an object is told to readers of the description. */
export interface Told {
  /** Its name there. */
  title?: string;
  description?: string;
  /** What it becomes: members are explained there by the same names. */
  like?: JsonSchema;
  example?: Readonly<Record<string, unknown>>;
}

/** The JSON Schema of an object with these members. */
export function membersSchema(members: Members<never>, told: Told = {}): JsonSchema {
  const { title, description, like, example } = told;
  const explained = (like?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required: string[] = [];
  const properties: Record<string, JsonSchema> = {};
  for (const [key, member] of Object.entries(members)) {
    const schema = memberSchema(member);
    if (schema !== null) {
      const explanation = explained[key]?.['description'];
      properties[key] = explanation === undefined ? schema : { ...schema, description: explanation };
    }
    if (member.kind === 'writable' && member.isRequired) {
      required.push(key);
    }
  }
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    type: 'object',
    properties,
    required,
    additionalProperties: false,
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function memberSchema(member: Member<never>): JsonSchema | null {
  if (member.kind === 'readOnly') {
    return member.schema === null ? null : { ...member.schema, readOnly: true };
  }
  return member.isNullable ? nullableSchema(member.field.schema) : member.field.schema;
}

/** A schema that also takes null. */
export function nullableSchema(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
