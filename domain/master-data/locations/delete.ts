import { conflict, notFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import { deletionOf } from '../logged/entries.ts';
import { detachAllTags, detachingAll } from '../tags/queries.ts';
import { hasLiveAssets, lockLocationForDelete, softDeleteLocation } from './changes.ts';
import { countDescendants } from './list-tree.ts';

/**
 * Soft-deletes a live location without live children or assets, detaches its tags (contract 3), and takes it off plans.
 *
 * @throws AppError `not_found`, or `conflict` saying what is in the way.
 */
export function deleteLocation(db: OrganizationDatabase, actor: Actor, id: number): Promise<void> {
  return detachingAll(db, 'location', id, () =>
    makeChange(db, actor, async (change) => {
      if ((await lockLocationForDelete(change, id)) === null) {
        throw notFound('Location not found');
      }
      if ((await countDescendants(change, id, 1)) > 0) {
        throw conflict(
          'location has descendant locations; reassign or remove them before deleting (cascade is not supported)',
        );
      }
      if (await hasLiveAssets(change, id)) {
        throw conflict(
          'location has assets placed at it; move or remove them before deleting (cascade is not supported)',
        );
      }
      const deleted = await softDeleteLocation(change, id);
      await takeOffPlans(change, id);
      const tags = await detachAllTags(change, 'location', id);
      return changed(undefined, [deletionOf(change.orgId, 'location', id, deleted, tags)]);
    }),
  );
}

/** Takes plans from a location that is being deleted; they stay, without a location. Needs the location's lock. */
async function takeOffPlans(change: OrganizationChange, locationId: number): Promise<void> {
  const { orgId } = change;
  await change.exec(sql.prepared('take-off-plans', NO_ROWS)`
    with gone as (
      delete from plan_places where org_id = ${orgId} and location_id = ${locationId} returning plan_id
    )
    update plans set location_id = nullif(location_id, ${locationId}), version = version + 1, updated_at = now()
    where org_id = ${orgId} and (location_id = ${locationId} or id in (select plan_id from gone))`);
}
