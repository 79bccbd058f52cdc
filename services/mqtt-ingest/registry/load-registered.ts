import type { Pool } from '../../../db/timescale/connections/client.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from './load-readers.ts';

/** Loads the readers with their formats once, for work that does not follow changes. */
export async function loadRegistered(pool: Pool): Promise<RegisteredReader[]> {
  return loadReaders(pool, await loadFormats(pool, loadBuiltinFormats(), () => {}));
}
