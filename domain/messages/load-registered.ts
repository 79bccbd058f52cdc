import type { Pool } from '../../db/timescale/connections/client.ts';
import { loadFormats } from '../administration/formats/load-formats.ts';
import { loadBuiltinFormats } from '../formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from './load-readers.ts';

export async function loadRegistered(pool: Pool): Promise<RegisteredReader[]> {
  return loadReaders(pool, await loadFormats(pool, loadBuiltinFormats()));
}
