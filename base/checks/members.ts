import { isJsonObject, type Json, type JsonObject, type JsonSource } from '../json/exact-json.ts';
import type { Field, JsonSchema } from './fields.ts';
import {
  accepted,
  type Checked,
  gathered,
  invalidValue,
  MOST_LISTED,
  type Refusal,
  readOnly,
  refused,
  required,
  unknownField,
} from './issues.ts';

export type Member<Current = never> = Writable<unknown> | ReadOnly<Current>;

export interface Writable<T> {
  kind: 'writable';
  field: Field<unknown>;
  isRequired: boolean;
  isNullable: boolean;
  nullIsAbsent: boolean;
  /** Carries the type only; never set. */
  readonly type?: T;
}

export interface ReadOnly<Current> {
  kind: 'readOnly';
  message: string;
  schema: JsonSchema | null;
  /** A small stand-in to compare, cheap to pass between threads. */
  brief(value: Json): Json;
  isCurrent(brief: Json, current: Current): boolean;
}

export type Members<Current = never> = Readonly<Record<string, Member<Current>>>;

/** Values of the writable members: undefined if the key was absent, null if it was null. */
export type Values<M> = { [K in keyof M as M[K] extends Writable<unknown> ? K : never]: ValueOf<M[K]> };
type ValueOf<M> = M extends Writable<infer T> ? T : never;

const PLAIN = { kind: 'writable', isRequired: false, isNullable: false, nullIsAbsent: false } as const;

export function mandatory<T>(field: Field<T>): Writable<T> {
  return { ...PLAIN, field, isRequired: true };
}

/** Mandatory; null counts as absent. */
export function mandatoryNotNull<T>(field: Field<T>): Writable<T> {
  return { ...PLAIN, field, isRequired: true, nullIsAbsent: true };
}

export function optional<T>(field: Field<T>): Writable<T | undefined> {
  return { ...PLAIN, field };
}

export function nullable<T>(field: Field<T>): Writable<T | null | undefined> {
  return { ...PLAIN, field, isNullable: true };
}

export function refusedMember(message: string): ReadOnly<unknown> {
  return { kind: 'readOnly', message, schema: null, brief: () => null, isCurrent: () => false };
}

export function unchanged<Current>(
  schema: JsonSchema,
  message: string,
  isCurrent: (brief: Json, current: Current) => boolean,
  brief: (value: Json) => Json = scalarInBrief,
): ReadOnly<Current> {
  return { kind: 'readOnly', message, schema, brief, isCurrent };
}

function scalarInBrief(value: Json): Json {
  const isScalar =
    typeof value === 'string' ? value.length <= 1_024 : typeof value !== 'object' || value === null;
  return isScalar ? value : [];
}

export interface SchemaNotes {
  title?: string;
  description?: string;
  /** Schema of the resource it becomes, whose members are explained by the same names. */
  like?: JsonSchema;
  example?: Readonly<Record<string, unknown>>;
}

export function membersSchema(members: Members<never>, notes: SchemaNotes = {}): JsonSchema {
  const { title, description, like, example } = notes;
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

export function nullableSchema(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** Path of the first wrong JSON type in document order, or null. */
export function mismatchOf(members: Members<never>, object: JsonObject, source: JsonSource): string | null {
  // Created on demand: a body can have 300,000 empty objects, and their memory adds up.
  let found: Map<string, string> | undefined;
  for (const key in members) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    const member = members[key];
    if (member?.kind === 'writable' && value !== undefined && value !== null) {
      const inside = member.field.mismatch(value, source.member(key));
      if (inside !== null) {
        found ??= new Map();
        found.set(key, key + inside);
      }
    }
  }
  if (found === undefined) {
    return null;
  }
  const known = found;
  const first = known.size > 1 ? Object.keys(object).find((key) => known.has(key)) : undefined;
  return known.get(first ?? '') ?? [...known.values()][0] ?? null;
}

interface Reading {
  /** Advice in the message that refuses null, if the member may be left out. */
  nullAdvice: string;
  prefix: string;
  source: JsonSource;
}

/** An object's members before there is a row to compare them with. Plain data, so that threads can pass it on. */
export interface ReadAlone {
  reads: Record<string, Checked<unknown>>;
  given: Record<string, Json>;
  unknown: Refusal | null;
}

export function isGiven({ reads, given }: ReadAlone, name: string): boolean {
  const read = reads[name];
  return name in given || (read !== undefined && !(read.ok && read.value === undefined));
}

export function readAlone(members: Members<never>, object: JsonObject, reading: Reading): ReadAlone {
  const alone: ReadAlone = { reads: {}, given: {}, unknown: null };
  for (const key in members) {
    const member = members[key] as Member;
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (member.kind === 'writable') {
      alone.reads[key] = readMember(member, key, value, reading);
    } else if (value !== undefined) {
      alone.given[key] = member.brief(value);
    }
  }
  const unknown = Object.keys(object).filter((key) => !Object.hasOwn(members, key));
  if (unknown.length > 0) {
    alone.unknown = unknownKeys(unknown, reading.prefix);
  }
  return alone;
}

/** Values given the current row, or everything wrong: members in declared order, then unknown keys alphabetically. */
export function checkedAgainst<Current, M extends Members<Current>>(
  members: M,
  { reads, given, unknown }: ReadAlone,
  prefix: string,
  current: Current,
): Checked<Values<M>> {
  const values: Record<string, unknown> = {};
  const refusals: Refusal[] = [];
  for (const key in members) {
    const member = members[key] as Member<Current>;
    const read =
      member.kind === 'writable' ? reads[key] : compared(member, prefix + key, given[key], current);
    if (read?.ok === false) {
      refusals.push(read);
    } else {
      values[key] = read?.value;
    }
  }
  if (unknown !== null) {
    refusals.push(unknown);
  }
  return refusals.length > 0 ? gathered(refusals) : accepted(values as Values<M>);
}

export function readMembers<M extends Members<unknown>>(
  members: M,
  object: JsonObject,
  reading: Reading,
): Checked<Values<M>> {
  return checkedAgainst(members, readAlone(members, object, reading), reading.prefix, undefined);
}

function compared<Current>(
  member: ReadOnly<Current>,
  name: string,
  brief: Json | undefined,
  current: Current,
): Checked<unknown> {
  return brief === undefined || member.isCurrent(brief, current)
    ? accepted(undefined)
    : refused(readOnly(name, member.message));
}

/** Alphabetical. Keys are the caller's, of any number and length. */
function unknownKeys(keys: readonly string[], prefix: string): Refusal {
  const issues = firstOf(keys, MOST_LISTED).map((key) => {
    const shown = key.length > LONGEST_SHOWN ? `${key.slice(0, LONGEST_SHOWN)}…`.toWellFormed() : key;
    return unknownField(prefix + shown, `unknown field "${shown}" in request body`);
  });
  return { ok: false, issues, leftOut: keys.length - issues.length };
}

const LONGEST_SHOWN = 255;

function firstOf(texts: readonly string[], count: number): string[] {
  let first: string[] = [];
  for (let from = 0; from < texts.length; from += AT_A_TIME) {
    first = [...first, ...texts.slice(from, from + AT_A_TIME)].sort().slice(0, count);
  }
  return first;
}

const AT_A_TIME = 1_000;

function readMember(
  member: Writable<unknown>,
  key: string,
  value: Json | undefined,
  { nullAdvice, prefix, source }: Reading,
): Checked<unknown> {
  const name = prefix + key;
  if (value === undefined || (value === null && member.nullIsAbsent)) {
    return member.isRequired ? { ok: false, issues: [required(name)] } : accepted(undefined);
  }
  if (value === null) {
    const advice = member.isRequired ? '' : `; ${nullAdvice}`;
    return member.isNullable
      ? accepted(null)
      : { ok: false, issues: [invalidValue(name, `cannot be null${advice}`)] };
  }
  return member.field.read(value, name, source.member(key));
}

const INSIDE_ADVICE = 'omit the field, or provide a value';

export function objectField<M extends Members<unknown>, T>(
  members: M,
  check: (values: Values<M>, name: string) => Checked<T>,
  notes: SchemaNotes = {},
): Field<T> {
  return {
    schema: membersSchema(members, notes),
    mismatch: (value, source) => {
      const inside = isJsonObject(value) ? mismatchOf(members, value, source) : '';
      return inside === null || inside === '' ? inside : `.${inside}`;
    },
    read: (value, name, source) => {
      const reading = { nullAdvice: INSIDE_ADVICE, prefix: `${name}.`, source };
      const read = readMembers(members, value as JsonObject, reading);
      return read.ok ? check(read.value, name) : read;
    },
  };
}
