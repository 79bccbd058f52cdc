import { openOrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { findLiveByKeys } from '../../../domain/master-data/live-by-key.ts';
import { changePlan } from '../../../domain/master-data/plans/change-plan.ts';
import { createPlan } from '../../../domain/master-data/plans/create-plan.ts';
import { drawFloorPlan } from './floor-plan.ts';

/** Adds the plan of the site, with the locations where they are on it. */
export async function hangPlan(
  databaseUrl: string,
  actor: Actor,
  { orgId, site }: { orgId: number; site: { key: string; name: string } },
): Promise<void> {
  const { png, shapes } = drawFloorPlan();
  const door = openOrganizationDoor(databaseUrl, { max: 2, applicationName: 'tagtrail demo' });
  try {
    const db = door.of(orgId);
    const located = await findLiveByKeys(db, 'location', orgId, [site.key, ...shapes.keys()]);
    const ids = new Map(located.map(({ id, external_key: key }) => [key, id]));
    const locationId = ids.get(site.key) ?? null;
    const { id } = await createPlan(db, actor, { name: site.name, locationId, image: png });
    const places = [...shapes].flatMap(([key, points]) => {
      const location = ids.get(key);
      return location === undefined ? [] : { locationId: location, points };
    });
    await changePlan(db, actor, id, { places });
  } finally {
    await door.end();
  }
}
