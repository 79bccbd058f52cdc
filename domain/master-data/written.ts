import type { SameJson } from '../../base/json/same-json.ts';
import { type Instant, sameInstant, toDatabase } from '../../base/timestamps.ts';
import {
  type Changes,
  type Column,
  type Columns,
  type Given,
  NOW,
  REQUIRED,
  type Stored,
  type Written,
} from './columns.ts';

export function written<C extends Columns>(columns: C, given: Given<C>): Written<C> {
  const values = Object.entries<Column>(columns).map(([name, column]) => [
    name,
    writtenValue(column, given[name]),
  ]);
  return Object.fromEntries(values);
}

type Value = string | boolean | null;

export function writtenValue({ type, otherwise }: Column, given: Value | undefined): Value {
  if (given === undefined) {
    return otherwise === NOW || otherwise === REQUIRED ? null : otherwise;
  }
  return type === 'time' && given !== null ? toDatabase(given as Instant) : given;
}

/** Characters of JSON given; other columns are short. */
export function jsonLength<C extends Columns>(columns: C, given: Changes<C>): number {
  const lengths = Object.entries<Column>(columns).map(([name, { type }]) => {
    const value: Value | undefined = given[name];
    return type === 'json' && typeof value === 'string' ? value.length : 0;
  });
  return lengths.reduce((sum, length) => sum + length, 0);
}

/**
 * The columns after a change. Values not given stay, to the last digit, and so does JSON that differs in notation only.
 */
export async function patched<C extends Columns>(
  columns: C,
  current: Partial<Stored<C>>,
  changes: Changes<C>,
  same: SameJson,
): Promise<Stored<C>> {
  const row: Record<string, Value> = {};
  for (const [name, { type }] of Object.entries<Column>(columns)) {
    const stored: Value = current[name] as Value;
    const given: Value | undefined = changes[name];
    if (given === undefined) {
      row[name] = stored;
    } else if (type === 'time') {
      row[name] = patchedTime(given as Instant | null, stored as string | null);
    } else if (type === 'json') {
      row[name] = (await same(given as string, stored as string)) ? stored : given;
    } else {
      row[name] = given;
    }
  }
  return row as Stored<C>;
}

/**
 * The instant to store, in database form. Resending a stored instant as the wire shows it keeps its finer
 * digits.
 */
function patchedTime(given: Instant | null, stored: string | null): string | null {
  if (given === null) {
    return null;
  }
  return stored !== null && sameInstant(given, stored) ? stored : toDatabase(given);
}

export function isUnchanged<C extends Columns>(columns: C, current: Stored<C>, after: Stored<C>): boolean {
  return Object.keys(columns).every((name) => current[name] === after[name]);
}

/** Null leaves JSON unchanged: it is not sent again, and if large was not even read. */
export type Update<C extends Columns> = {
  -readonly [Name in keyof C]: Stored<C>[Name] | (C[Name]['type'] extends 'json' ? null : never);
};

export function updateOf<C extends Columns>(columns: C, current: Stored<C>, after: Stored<C>): Update<C> {
  const values = Object.entries<Column>(columns).map(([name, { type }]) => [
    name,
    type === 'json' && after[name] === current[name] ? null : after[name],
  ]);
  return Object.fromEntries(values);
}
