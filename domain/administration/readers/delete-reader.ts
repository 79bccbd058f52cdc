import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { lockReader, type StoredReader } from './stored-reader.ts';

export interface DeletedReader extends StoredReader {
  /** The text of a `timestamptz`. */
  deletedAt: string;
}

/**
 * Deletes a reader: nothing more is taken from it, and its name and topic are free again. What it has read stays.
 *
 * @throws AppError `not_found`.
 */
export async function deleteReader(pool: Pool, readerId: number): Promise<DeletedReader> {
  return inTransaction(pool, async (client) => {
    const reader = await lockReader(client, readerId);
    const { rows } = await client.query<{ deletedAt: string }>(
      'update readers set deleted_at = now() where org_id = $1 and id = $2 returning deleted_at as "deletedAt"',
      [reader.orgId, readerId],
    );
    const [row] = rows;
    if (row === undefined) {
      throw new RangeError('no row from update');
    }
    return { ...reader, ...row };
  });
}
