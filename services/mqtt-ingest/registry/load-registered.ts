import type pg from 'pg';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from './load-readers.ts';

/** The registered readers as they are now, with their formats, for what is done once and not kept up to date. */
export async function loadRegistered(pool: pg.Pool): Promise<RegisteredReader[]> {
  return loadReaders(pool, await loadFormats(pool, loadBuiltinFormats(), () => {}));
}
