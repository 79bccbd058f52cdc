import { notFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { deletionOf } from '../logged/entries.ts';
import { detachAllTags, detachingAll } from '../tags/queries.ts';
import { softDeleteAsset } from './queries.ts';

/**
 * Soft-deletes a live asset and detaches its tags.
 *
 * @throws AppError `not_found`.
 */
export function deleteAsset(db: OrganizationDatabase, actor: Actor, id: number): Promise<void> {
  return detachingAll(db, 'asset', id, () =>
    makeChange(db, actor, async (change) => {
      const deleted = await softDeleteAsset(change, id);
      if (deleted === null) {
        throw notFound('Asset not found');
      }
      const tags = await detachAllTags(change, 'asset', id);
      return changed(undefined, [deletionOf(change.orgId, 'asset', id, deleted, tags)]);
    }),
  );
}
