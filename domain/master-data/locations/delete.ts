import { conflict, notFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { detachAllTags } from '../tags/queries.ts';
import { hasLiveAssets, lockLocationForDelete, softDeleteLocation } from './changes.ts';
import { countDescendants } from './tree.ts';

/**
 * Soft-deletes a live location that nothing live is below or at, and detaches its tags (contract 3).
 *
 * @throws AppError `not_found`, or `conflict` saying what is in the way.
 */
export function deleteLocation(db: OrganizationDatabase, id: number): Promise<void> {
  return db.transaction(async (transaction) => {
    if ((await lockLocationForDelete(transaction, id)) === null) {
      throw notFound('Location not found');
    }
    if ((await countDescendants(transaction, id, 1)) > 0) {
      throw conflict(
        'location has descendant locations; reassign or remove them before deleting (cascade is not supported)',
      );
    }
    if (await hasLiveAssets(transaction, id)) {
      throw conflict(
        'location has assets placed at it; move or remove them before deleting (cascade is not supported)',
      );
    }
    await softDeleteLocation(transaction, id);
    await detachAllTags(transaction, 'location', id);
  });
}
