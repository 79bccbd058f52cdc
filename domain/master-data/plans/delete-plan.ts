import { notFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { placesView, readPlaces } from './places.ts';
import { lockPlan, planFields } from './stored-plan.ts';

/** Deletes a plan, its image and its places for good; the locations stay. @throws AppError `not_found`. */
export function deletePlan(db: OrganizationDatabase, actor: Actor, id: number): Promise<void> {
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    const plan = await lockPlan(change, id);
    if (plan === null) {
      throw notFound('Plan not found');
    }
    const places = placesView(await readPlaces(change, id));
    await change.exec(sql.type(NO_ROWS)`delete from plan_places where org_id = ${orgId} and plan_id = ${id}`);
    await change.exec(sql.type(NO_ROWS)`delete from plans where org_id = ${orgId} and id = ${id}`);
    return changed(undefined, [
      {
        orgId,
        action: 'delete',
        resource: { type: 'plan', id },
        before: { ...planFields(plan), places },
        after: null,
      },
    ]);
  });
}
