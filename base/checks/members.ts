import type { Json } from '../json/exact-json.ts';
import type { Field, JsonSchema } from './fields.ts';

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
