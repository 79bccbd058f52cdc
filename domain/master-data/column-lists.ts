import { texts } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, sql, type ValueExpression } from '../../db/timescale/queries/sql.ts';
import { type Column, type Columns, type Given, NOW, type Stored } from './columns.ts';
import { writtenValue } from './written.ts';

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
