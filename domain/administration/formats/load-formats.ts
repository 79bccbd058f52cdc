import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { compileFormat, type Format } from '../../formats/mapping/format.ts';

/**
 * All formats by name: those of the database under the built-in ones, which cannot be replaced. One that cannot be
 * compiled (stored by another version, say) is left out and reported.
 */
export async function loadFormats(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  onFault: (error: unknown) => void,
): Promise<ReadonlyMap<string, Format>> {
  const formats = new Map(builtin);
  for (const { name, definition } of await storedDefinitions(db)) {
    try {
      formats.set(name, builtin.get(name) ?? compileFormat(definition));
    } catch (error) {
      onFault(new Error(`Format ${name} cannot be used`, { cause: error }));
    }
  }
  return formats;
}

/** The definitions of users' own formats, by name, as they were stored. */
export async function storedDefinitions(db: Connection): Promise<{ name: string; definition: unknown }[]> {
  const rows = await db.any(sql.type(rowsOf<{ name: string; source: string }>())`
    select name, source from formats order by name`);
  return rows.map(({ name, source }) => ({ name, definition: JSON.parse(source) }));
}
