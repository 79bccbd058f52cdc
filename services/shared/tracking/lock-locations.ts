import type { ClientBase } from 'pg';
import { integers } from '../../../db/timescale/array-parameters.ts';

export interface LocationRef {
  orgId: number;
  locationId: number;
}

/** One string for each location. */
export function locationName({ orgId, locationId }: LocationRef): string {
  return `${orgId} ${locationId}`;
}

/**
 * Which of the locations are live. They stay so until this transaction ends: deleting one takes its row's full lock
 * and waits. Renaming, re-parenting and other recorders are not held up.
 *
 * @returns by {@link locationName}.
 */
export async function lockLiveLocations(
  client: ClientBase,
  locations: readonly LocationRef[],
): Promise<ReadonlySet<string>> {
  const distinct = [...new Map(locations.map((location) => [locationName(location), location])).values()];
  if (distinct.length === 0) {
    return new Set();
  }
  const { rows } = await client.query<{ orgId: number; locationId: number }>({
    name: 'lock-locations',
    text: `select location.org_id as "orgId", location.id as "locationId"
      from (
        select org_id, id from unnest($1::integer[], $2::integer[]) as given (org_id, id) order by org_id, id
      ) wanted
      cross join lateral (
        select org_id, id from locations
        where org_id = wanted.org_id and id = wanted.id and deleted_at is null
        for key share
      ) location`,
    values: [
      integers(distinct.map(({ orgId }) => orgId)),
      integers(distinct.map(({ locationId }) => locationId)),
    ],
  });
  return new Set(rows.map(locationName));
}
