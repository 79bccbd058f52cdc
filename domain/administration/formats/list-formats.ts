import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { describeSources } from '../../formats/describe-sources.ts';
import type { Format } from '../../formats/mapping/format.ts';
import type { Identity } from '../../formats/mapping/language/definition.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { type StoredDefinition, storedDefinitions, storedSources } from './load-formats.ts';

export interface ListedFormat {
  name: string;
  isBuiltin: boolean;
  description: string;
  identities: readonly Identity[];
  /** Live readers using it; null if the database was not asked. */
  readers: number | null;
  fault: string | null;
  /** The organization whose own it is; null for the installation's. */
  orgId: number | null;
}

export interface Listing {
  /** Leaves out formats of other organizations, and their readers. */
  orgId?: number;
  /** Runs {@link describeSources} in a thread where others would wait. */
  describe?: (
    sources: readonly string[],
  ) => ReturnType<typeof describeSources> | Promise<ReturnType<typeof describeSources>>;
}

export async function listFormats(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  { orgId, describe = describeSources }: Listing = {},
): Promise<ListedFormat[]> {
  const rows = await db.any(sql.type(rowsOf<{ format: string; readers: number }>())`
    select reader.format, count(*)::integer as readers from ${LIVE_READERS}
    where ${orgId ?? null}::integer is null or reader.org_id = ${orgId ?? null}::integer
    group by reader.format`);
  const readers = new Map(rows.map((row) => [row.format, row.readers]));
  const stored = await storedSources(db, orgId);
  const own = stored.filter(({ name }) => !builtin.has(name));
  const described = await describe(own.map(({ source }) => source));
  const listed = described.map((each, at) => {
    const { name = '', orgId: owner = null } = own[at] ?? {};
    return { name, isBuiltin: false, ...each, readers: null, orgId: owner };
  });
  return [...listBuiltinFormats(builtin), ...listed].map((format) => ({
    ...format,
    readers: readers.get(format.name) ?? 0,
  }));
}

/** Built-in formats only, without the number of readers: needs no database. */
export function listBuiltinFormats(builtin: ReadonlyMap<string, Format>): ListedFormat[] {
  return [...builtin.values()].map(({ name, description, identities }) => ({
    ...{ name, isBuiltin: true, description, identities, readers: null, fault: null, orgId: null },
  }));
}

/** A format that an organization may see, as it is stored. */
export async function findVisible(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  orgId: number,
  name: string,
): Promise<StoredDefinition | null> {
  const known = builtin.get(name);
  return known === undefined
    ? ((await storedDefinitions(db, orgId)).find((stored) => stored.name === name) ?? null)
    : { name, definition: known.definition, orgId: null };
}

/**
 * A custom format's definition as stored, whether or not it still compiles.
 *
 * @throws AppError `not_found`, listing the existing formats.
 */
export async function findStoredDefinition(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  name: string,
): Promise<unknown> {
  const stored = await storedDefinitions(db);
  const found = stored.find((format) => format.name === name);
  if (found === undefined) {
    const names = new Set([...builtin.keys(), ...stored.map((format) => format.name)]);
    throw new AppError('not_found', `There is no format ${name}; there are ${[...names].sort().join(', ')}`);
  }
  return found.definition;
}
