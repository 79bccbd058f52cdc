import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { integers, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';

/** Places of a plan. More could not be told apart on a screen. */
export const MOST_PLACES = 2_000;

/** Corners of an outline. */
export const MOST_POINTS = 100;

/** From 0 at the left and at the top to 1. */
export type Point = readonly [x: number, y: number];

export interface PlanPlace {
  locationId: number;
  /** One: a pin. Three and more: an outline. */
  points: readonly Point[];
}

export async function readPlaces(db: OrganizationConnection, planId: number): Promise<readonly PlanPlace[]> {
  const rows = await db.any(sql.prepared(
    'read-plan-places',
    rowsOf<{ location_id: number; points: number[] }>(),
  )`
    select location_id, points from plan_places
    where org_id = ${db.orgId} and plan_id = ${planId} order by location_id`);
  return rows.map(({ location_id: locationId, points }) => ({ locationId, points: pairs(points) }));
}

/** Needs the plan's lock, and the locations'. */
export async function replacePlaces(
  change: OrganizationChange,
  planId: number,
  places: readonly PlanPlace[],
): Promise<void> {
  const { orgId } = change;
  await change.exec(
    sql.type(NO_ROWS)`delete from plan_places where org_id = ${orgId} and plan_id = ${planId}`,
  );
  await change.exec(sql.type(NO_ROWS)`
    insert into plan_places (org_id, plan_id, location_id, points)
    select ${orgId}, ${planId}, given.location_id, given.points::real[]
    from unnest(
      ${sql.binary(integers(places.map(({ locationId }) => locationId)))}::integer[],
      ${sql.binary(texts(places.map(({ points }) => `{${points.flat().join()}}`)))}::text[]
    ) as given (location_id, points)`);
}

/** As answered and logged. */
export function placesView(places: readonly PlanPlace[]) {
  return places.map(({ locationId, points }) => ({ location_id: locationId, points }));
}

function pairs(numbers: readonly number[]): Point[] {
  const points: Point[] = [];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    points.push([numbers[at] ?? 0, numbers[at + 1] ?? 0]);
  }
  return points;
}
