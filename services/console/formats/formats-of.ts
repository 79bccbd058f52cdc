import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { storedDefinitions } from '../../../domain/administration/formats/load-formats.ts';
import { compileFormat, type Format } from '../../../domain/formats/mapping/format.ts';

/** Formats that are tried on what arrives: all built-in ones, and so many others. */
const MOST_STORED = 50;

/** Names and sources of the formats that an organization may use and that can be used. */
export async function formatsOf(
  db: Connection,
  builtin: ReadonlyMap<string, Format>,
  orgId: number,
): Promise<(readonly [string, string])[]> {
  const stored = (await storedDefinitions(db, orgId)).filter(
    ({ name, definition }) => !builtin.has(name) && isUsable(definition),
  );
  return [
    ...[...builtin.values()].map(({ name, definition }) => [name, JSON.stringify(definition)] as const),
    ...stored
      .slice(0, MOST_STORED)
      .map(({ name, definition }) => [name, JSON.stringify(definition)] as const),
  ];
}

function isUsable(definition: unknown): boolean {
  try {
    compileFormat(definition);
    return true;
  } catch {
    return false;
  }
}
