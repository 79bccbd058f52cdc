import { messageOf } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { compileFormat, type Format } from '../../formats/mapping/format.ts';
import type { Identity } from '../../formats/mapping/language/definition.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { storedDefinitions } from './load-formats.ts';

export interface ListedFormat {
  name: string;
  isBuiltin: boolean;
  description: string;
  /** What a reader of it may be set to. */
  identities: readonly Identity[];
  /** Live readers that are registered with it; null where nobody asked the database. */
  readers: number | null;
  /** Why it cannot be used; null if it can. */
  fault: string | null;
}

/** The built-in formats, then the users' own, each by name. */
export async function listFormats(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
): Promise<ListedFormat[]> {
  const rows = await db.any(sql.type(rowsOf<{ format: string; readers: number }>())`
    select reader.format, count(*)::integer as readers from ${LIVE_READERS} group by reader.format`);
  const readers = new Map(rows.map((row) => [row.format, row.readers]));
  const stored = await storedDefinitions(db);
  const own = stored.filter(({ name }) => !builtin.has(name));
  return [...listBuiltinFormats(builtin), ...own.map(describeStored)].map((format) => ({
    ...format,
    readers: readers.get(format.name) ?? 0,
  }));
}

/** Without a database, so without the users' own and without the number of readers. */
export function listBuiltinFormats(builtin: ReadonlyMap<string, Format>): ListedFormat[] {
  return [...builtin.values()].map((format) => describe(format, true));
}

function describeStored({ name, definition }: { name: string; definition: unknown }): ListedFormat {
  try {
    return describe(compileFormat(definition), false);
  } catch (error) {
    const fault = messageOf(error);
    return { name, isBuiltin: false, description: '', identities: [], readers: null, fault };
  }
}

function describe({ name, description, identities }: Format, isBuiltin: boolean): ListedFormat {
  return { name, isBuiltin, description, identities, readers: null, fault: null };
}
