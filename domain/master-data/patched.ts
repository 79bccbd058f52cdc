import { sameInstant } from '../../base/checks/same.ts';
import type { SameJson } from '../../base/json/same-json.ts';
import { type Instant, toDatabase } from '../../base/timestamps.ts';
import type { Changes, Column, Columns, Stored } from './columns.ts';

type Value = string | boolean | null;

/**
 * The columns as they are after a change. What is not given stays, to the last digit, and so does JSON that is the same
 * but for how it is written.
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
 * The instant to store when one is given, as the database takes it. What a client got to see of the stored instant stands
 * for the stored instant, finer digits included.
 */
function patchedTime(given: Instant | null, stored: string | null): string | null {
  if (given === null) {
    return null;
  }
  return stored !== null && sameInstant(given, stored) ? stored : toDatabase(given);
}

/** Whether a change leaves every column as it is. */
export function isUnchanged<C extends Columns>(columns: C, current: Stored<C>, after: Stored<C>): boolean {
  return Object.keys(columns).every((name) => current[name] === after[name]);
}

/** Null for JSON that stays, which is not sent again: where it is large, it was not even read. */
export type Update<C extends Columns> = {
  -readonly [Name in keyof C]: Stored<C>[Name] | (C[Name]['type'] extends 'json' ? null : never);
};

/** What to write of the columns after a change. */
export function updateOf<C extends Columns>(columns: C, current: Stored<C>, after: Stored<C>): Update<C> {
  const values = Object.entries<Column>(columns).map(([name, { type }]) => [
    name,
    type === 'json' && after[name] === current[name] ? null : after[name],
  ]);
  return Object.fromEntries(values);
}
