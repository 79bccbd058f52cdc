import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { compileSource } from '../../formats/mapping/compile-source.ts';
import type { Format } from '../../formats/mapping/format.ts';

/**
 * All formats by name. Built-in ones cannot be replaced by stored ones. A stored format that no longer
 * compiles (written by another version, say) is left out and reported.
 *
 * @param orgId leaves out those of other organizations.
 */
export async function loadFormats(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  onFault: (error: unknown) => void,
  orgId?: number,
): Promise<ReadonlyMap<string, Format>> {
  const formats = new Map(builtin);
  for (const { name, source } of await storedSources(db, orgId)) {
    try {
      formats.set(name, builtin.get(name) ?? compileSource(source));
    } catch (error) {
      onFault(new Error(`Format ${name} cannot be used`, { cause: error }));
    }
  }
  return formats;
}

export interface StoredDefinition {
  name: string;
  definition: unknown;
  /** The organization whose own it is; null for the installation's, which all may use. */
  orgId: number | null;
}

/** @param orgId leaves out those of other organizations. */
export async function storedDefinitions(db: Connection, orgId?: number): Promise<StoredDefinition[]> {
  const stored = await storedSources(db, orgId);
  return stored.map(({ name, source, orgId: owner }) => ({
    ...{ name, definition: JSON.parse(source), orgId: owner },
  }));
}

export interface StoredSource {
  name: string;
  source: string;
  /** As in {@link StoredDefinition}. */
  orgId: number | null;
}

/** @param orgId leaves out those of other organizations. */
export async function storedSources(db: Connection, orgId?: number): Promise<StoredSource[]> {
  const rows = await db.any(sql.type(rowsOf<{ name: string; source: string; org_id: number | null }>())`
    select name, source, org_id from formats
    where ${orgId ?? null}::integer is null or org_id is null or org_id = ${orgId ?? null}::integer
    order by name`);
  return rows.map(({ name, source, org_id: owner }) => ({ name, source, orgId: owner }));
}
