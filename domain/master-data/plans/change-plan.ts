import { conflict, notFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import type { Fields } from '../../changes/entry.ts';
import { changed, makeChange, type OrganizationChange, unchanged } from '../../changes/make-change.ts';
import { holdLocations } from './hold-locations.ts';
import { type PlanPlace, placesView, readPlaces, replacePlaces } from './places.ts';
import { findPlan, lockPlan, planFields, type StoredPlan } from './stored-plan.ts';

export interface PlanChanges {
  name?: string | undefined;
  locationId?: number | null | undefined;
  /** All of them. */
  places?: readonly PlanPlace[] | undefined;
  /** The one that the change was made from; any if left out. */
  version?: number | undefined;
}

/**
 * Changes what a plan is called, is of, or has on it.
 *
 * @throws AppError `not_found`; Invalid for locations that are not live; `conflict` if it is another version by now.
 */
export function changePlan(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  wanted: PlanChanges,
): Promise<StoredPlan> {
  const { name, locationId, places, version } = wanted;
  return makeChange(db, actor, async (change) => {
    await holdLocations(change, [
      ...(locationId === undefined || locationId === null ? [] : [{ field: 'location_id', id: locationId }]),
      ...(places ?? []).map((place, index) => ({
        field: `places[${index}].location_id`,
        id: place.locationId,
      })),
    ]);
    const before = await lockPlan(change, id);
    if (before === null) {
      throw notFound('Plan not found');
    }
    if (version !== undefined && version !== before.version) {
      throw conflict(
        `the plan was changed by somebody else meanwhile (it is version ${before.version}, not ${version}); read it again`,
      );
    }
    const placed = places === undefined ? null : await replaced(change, id, places);
    const next = {
      name: name ?? before.name,
      locationId: locationId === undefined ? before.location_id : locationId,
    };
    const isSame = next.name === before.name && next.locationId === before.location_id;
    if (isSame && placed === null) {
      return unchanged(before);
    }
    await change.exec(sql.type(NO_ROWS)`
      update plans set name = ${next.name}, location_id = ${next.locationId}::integer, version = version + 1,
        updated_at = clock_timestamp()
      where org_id = ${change.orgId} and id = ${id}`);
    const after = await findPlan(change, id);
    if (after === null) {
      throw notFound('Plan not found');
    }
    return changed(after, [
      {
        orgId: change.orgId,
        action: 'update',
        resource: { type: 'plan', id },
        before: { ...(isSame ? {} : setFields(before)), ...placed?.before },
        after: { ...(isSame ? {} : setFields(after)), ...placed?.after },
      },
    ]);
  });
}

/** @returns null if they are the same. */
async function replaced(
  change: OrganizationChange,
  id: number,
  places: readonly PlanPlace[],
): Promise<{ before: Fields; after: Fields } | null> {
  const before = await readPlaces(change, id);
  await replacePlaces(change, id, places);
  const after = await readPlaces(change, id);
  const views = [placesView(before), placesView(after)];
  return JSON.stringify(views[0]) === JSON.stringify(views[1])
    ? null
    : { before: { places: views[0] }, after: { places: views[1] } };
}

function setFields(plan: StoredPlan): Fields {
  const { name, location_external_key } = planFields(plan);
  return { name, location_external_key };
}
