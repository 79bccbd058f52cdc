import { wireTime } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { lockReader, type StoredReader } from './stored-reader.ts';

export interface DeletedReader extends StoredReader {
  /** `timestamptz` text. */
  deletedAt: string;
}

/**
 * Soft-deletes a reader: its messages are ignored from then on, its name and topic are free again. Its past
 * reads stay.
 *
 * @throws AppError `not_found`.
 */
export async function deleteReader(db: Database, actor: Actor, readerId: number): Promise<DeletedReader> {
  return makeChange(db, actor, async (change) => {
    const reader = await lockReader(change, readerId);
    const { deleted_at: deletedAt } = await change.one(sql.type(rowsOf<{ deleted_at: string }>())`
      update readers set deleted_at = now() where org_id = ${reader.orgId} and id = ${readerId}
      returning deleted_at`);
    return changed({ ...reader, deletedAt }, [
      {
        orgId: reader.orgId,
        action: 'delete',
        resource: { type: 'reader', id: readerId },
        before: { deleted_at: null },
        after: { deleted_at: wireTime(deletedAt) },
      },
    ]);
  });
}
