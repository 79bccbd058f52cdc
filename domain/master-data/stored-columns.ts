import type { SameJson } from '../../base/json/same-json.ts';
import { type Instant, sameInstant, toDatabase } from '../../base/timestamps.ts';
import { texts } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, sql, type ValueExpression } from '../../db/timescale/queries/sql.ts';
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

/** `name, description`: for `insert into`, `as given` and `returning`. */
export function named(columns: Columns): FragmentSqlToken {
  return listed(columns, (name) => sql.fragment`${sql.identifier([name])}`);
}

/** `asset.name, asset.description`, of a table by its alias. */
export function selected(columns: Columns, table: string): FragmentSqlToken {
  return listed(columns, (name) => sql.fragment`${sql.identifier([table, name])}`);
}

/** {@link selected} without JSON, which is unbounded. */
export function selectedShort(columns: Columns, table: string): FragmentSqlToken {
  const short = Object.entries(columns).filter(([, { type }]) => type !== 'json');
  return selected(Object.fromEntries(short), table);
}

export function selectedJson(columns: Columns, table: string): Record<string, FragmentSqlToken> {
  const long = Object.entries(columns).filter(([, { type }]) => type === 'json');
  return Object.fromEntries(long.map(([name]) => [name, sql.fragment`${sql.identifier([table, name])}`]));
}

export function withNames(items: Readonly<Record<string, FragmentSqlToken>>): FragmentSqlToken {
  return joined(
    Object.entries(items).map(([name, item]) => sql.fragment`${item} as ${sql.identifier([name])}`),
  );
}

/** Stored form of given values, in the order of {@link named}; null means now where now is the default. */
export function stored<C extends Columns>(
  columns: C,
  sent: (name: keyof C) => ValueExpression,
): FragmentSqlToken {
  return listed(columns, (name, { type, otherwise }) => {
    const value = sql.fragment`${sent(name)}::${CASTS[type]}`;
    return otherwise === NOW ? sql.fragment`coalesce(${value}, now())` : value;
  });
}

const CASTS = {
  text: sql.fragment`text`,
  flag: sql.fragment`boolean`,
  time: sql.fragment`timestamptz`,
  json: sql.fragment`json`,
};

/** `name = ${name}::text`; null leaves JSON unchanged. */
export function updated<C extends Columns>(
  columns: C,
  sent: (name: keyof C) => ValueExpression,
): FragmentSqlToken {
  return listed(columns, (name, { type }) => {
    const column = sql.identifier([name]);
    const value = sql.fragment`${sent(name)}::${CASTS[type]}`;
    return type === 'json'
      ? sql.fragment`${column} = coalesce(${value}, ${column})`
      : sql.fragment`${column} = ${value}`;
  });
}

export function excluded(columns: Columns): FragmentSqlToken {
  return listed(
    columns,
    (name) => sql.fragment`${sql.identifier([name])} = ${sql.identifier(['excluded', name])}`,
  );
}

export const ofGiven = (name: string): ValueExpression => sql.identifier(['given', name]);

/** Binary arrays of new rows by column, for `unnest`, in the order of {@link named}. */
export function arraysOfNew<C extends Columns>(columns: C, rows: readonly Given<C>[]): FragmentSqlToken {
  return listed(columns, (name, column) =>
    arrayOf(
      column,
      rows.map((row) => writtenValue(column, row[name])),
    ),
  );
}

export function arraysOf<C extends Columns>(
  columns: C,
  rows: readonly Partial<Stored<C>>[],
): FragmentSqlToken {
  return listed(columns, (name, column) =>
    arrayOf(
      column,
      rows.map((row) => row[name] ?? null),
    ),
  );
}

function arrayOf({ type }: Column, values: readonly (string | boolean | null)[]): FragmentSqlToken {
  return type === 'flag'
    ? sql.fragment`${sql.array(values as boolean[], 'bool')}`
    : sql.fragment`${sql.binary(texts(values as (string | null)[]))}::text[]`;
}

function listed(
  columns: Columns,
  item: (name: string, column: Column) => FragmentSqlToken,
): FragmentSqlToken {
  return joined(Object.entries(columns).map(([name, column]) => item(name, column)));
}

function joined(items: readonly FragmentSqlToken[]): FragmentSqlToken {
  return sql.fragment`${sql.join(items, sql.fragment`, `)}`;
}

export function written<C extends Columns>(columns: C, given: Given<C>): Written<C> {
  const values = Object.entries<Column>(columns).map(([name, column]) => [
    name,
    writtenValue(column, given[name]),
  ]);
  return Object.fromEntries(values);
}

type Value = string | boolean | null;

function writtenValue({ type, otherwise }: Column, given: Value | undefined): Value {
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
