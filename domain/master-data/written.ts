import { type Instant, toDatabase } from '../../base/timestamps.ts';
import {
  type Changes,
  type Column,
  type Columns,
  type Given,
  NOW,
  REQUIRED,
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
