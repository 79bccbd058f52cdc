import { notFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { detachAllTags } from '../tags/queries.ts';
import { softDeleteAsset } from './queries.ts';

/** Soft-deletes a live asset and detaches its tags. @throws AppError `not_found`. */
export function deleteAsset(db: OrganizationDatabase, id: number): Promise<void> {
  return db.transaction(async (transaction) => {
    if ((await softDeleteAsset(transaction, id)) === null) {
      throw notFound('Asset not found');
    }
    await detachAllTags(transaction, 'asset', id);
  });
}
