import type { Json, JsonObject } from '../json/exact-json.ts';
import type { JsonSource } from '../json/json-source.ts';
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
import type { Member, Members, ReadOnly, Values, Writable } from './members.ts';

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

export interface Reading {
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
