import { orNotFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { keepingPosition } from '../../tracking/location/position-lacks.ts';
import { pinsView, readPins } from './pins.ts';
import { placesView, readPlaces } from './places.ts';
import { lockPlan, planFields } from './stored-plan.ts';

/**
 * Deletes a plan with its image and pins for good; locations and antennas stay.
 *
 * @param withoutPosition also if position can then no longer decide where it is set.
 * @throws AppError `not_found`; Invalid if position needs it.
 */
export function deletePlan(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  withoutPosition = false,
): Promise<void> {
  return makeChange(db, actor, (change) =>
    keepingPosition(change, withoutPosition, async () => {
      const { orgId } = change;
      const plan = await orNotFound('Plan not found', lockPlan(change, id));
      const places = placesView(await readPlaces(change, id));
      const antennas = pinsView(await readPins(change, id));
      await change.exec(
        sql.type(NO_ROWS)`delete from plan_antennas where org_id = ${orgId} and plan_id = ${id}`,
      );
      await change.exec(
        sql.type(NO_ROWS)`delete from plan_places where org_id = ${orgId} and plan_id = ${id}`,
      );
      await change.exec(sql.type(NO_ROWS)`delete from plans where org_id = ${orgId} and id = ${id}`);
      return changed(undefined, [
        {
          orgId,
          action: 'delete',
          resource: { type: 'plan', id },
          before: { ...planFields(plan), places, antennas },
          after: null,
        },
      ]);
    }),
  );
}
