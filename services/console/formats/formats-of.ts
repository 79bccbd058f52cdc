import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { storedSources } from '../../../domain/administration/formats/load-formats.ts';
import { compileSource } from '../../../domain/formats/mapping/compile-source.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';

/** Formats that are tried on what arrives: all built-in ones, and so many others. */
const MOST_STORED = 50;

/** Names and sources of the formats that an organization may use and that can be used. */
export async function formatsOf(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  orgId: number,
): Promise<(readonly [string, string])[]> {
  const stored = (await storedSources(db, orgId)).filter(
    ({ name, source }) => !builtin.has(name) && isUsable(source),
  );
  return [
    ...[...builtin.values()].map(({ name, definition }) => [name, JSON.stringify(definition)] as const),
    ...stored.slice(0, MOST_STORED).map(({ name, source }) => [name, source] as const),
  ];
}

function isUsable(source: string): boolean {
  try {
    compileSource(source);
    return true;
  } catch {
    return false;
  }
}
