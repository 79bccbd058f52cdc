import { AppError } from '../../../base/errors.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Format } from '../../formats/mapping/format.ts';
import { storedDefinitions } from './load-formats.ts';

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
