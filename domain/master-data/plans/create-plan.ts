import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import { requireRoom } from '../../changes/require-room.ts';
import { holdLocations } from './hold-locations.ts';
import { type KnownImage, lookAtImage } from './image/look-at-image.ts';
import { findPlan, planFields, type StoredPlan } from './stored-plan.ts';

export interface NewPlan {
  name: string;
  locationId: number | null;
  image: Buffer;
}

/**
 * Adds a plan without places.
 *
 * @throws Invalid for an image that cannot be shown, or no live location; `conflict` if there are too many.
 */
export function createPlan(db: OrganizationDatabase, actor: Actor, plan: NewPlan): Promise<StoredPlan> {
  const known = lookAtImage(plan.image);
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    await holdLocations(
      change,
      plan.locationId === null ? [] : [{ field: 'location_id', id: plan.locationId }],
    );
    await requireRoom(change, orgId, 'plans');
    const id = await insert(change, plan, known);
    const stored = await findPlan(change, id);
    if (stored === null) {
      throw new Error(`plan ${id} is missing right after its insert`);
    }
    return changed(stored, [
      { orgId, action: 'create', resource: { type: 'plan', id }, before: null, after: planFields(stored) },
    ]);
  });
}

async function insert(
  change: OrganizationChange,
  { name, locationId, image }: NewPlan,
  { mediaType, width, height }: KnownImage,
): Promise<number> {
  const { id } = await change.one(sql.type(rowsOf<{ id: number }>())`
    insert into plans (org_id, location_id, name, media_type, width, height, image, sha256)
    select ${change.orgId}, ${locationId}::integer, ${name}, ${mediaType}, ${width}, ${height}, image, sha256(image)
    from (select ${sql.binary(image)}::bytea as image) given
    returning id`);
  return id;
}
