import type { Pool } from '../../../db/timescale/connections/client.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from './load-readers.ts';

/** The registered readers as they are now, with their formats, for what is done once and not kept up to date. */
export async function loadRegistered(pool: Pool): Promise<RegisteredReader[]> {
  return loadReaders(pool, await loadFormats(pool, loadBuiltinFormats(), () => {}));
}
