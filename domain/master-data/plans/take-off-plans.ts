import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';

/** Of a location that is being deleted. A plan of it stays, as one of no location. Needs the location's lock. */
export async function takeOffPlans(change: OrganizationChange, locationId: number): Promise<void> {
  const { orgId } = change;
  await change.exec(sql.prepared('take-off-plans', NO_ROWS)`
    with gone as (
      delete from plan_places where org_id = ${orgId} and location_id = ${locationId} returning plan_id
    )
    update plans set location_id = nullif(location_id, ${locationId}), version = version + 1, updated_at = now()
    where org_id = ${orgId} and (location_id = ${locationId} or id in (select plan_id from gone))`);
}
