import type { Client } from '../../db/timescale/connections/client.ts';
import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { PairMap } from './pair-map.ts';

export interface LocationRef {
  orgId: number;
  locationId: number;
}

/**
 * Which of the locations are live. They stay so until this transaction ends: deleting one takes its row's full lock
 * and waits. Renaming, re-parenting and other recorders are not held up.
 *
 * @param locations null asks for none.
 * @returns by organization and id.
 */
export async function lockLiveLocations(
  client: Client,
  locations: readonly { orgId: number; locationId: number | null }[],
): Promise<LiveLocations> {
  const live = new PairMap<number, number, true>();
  const distinct = distinctLocations(locations);
  if (distinct.length === 0) {
    return live;
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
  for (const { orgId, locationId } of rows) {
    live.add(orgId, locationId, true);
  }
  return live;
}

export type LiveLocations = Pick<PairMap<number, number, true>, 'has'>;

function distinctLocations(
  locations: readonly { orgId: number; locationId: number | null }[],
): readonly LocationRef[] {
  const distinct = new PairMap<number, number, LocationRef>();
  for (const { orgId, locationId } of locations) {
    if (locationId !== null && !distinct.has(orgId, locationId)) {
      distinct.add(orgId, locationId, { orgId, locationId });
    }
  }
  return distinct.values();
}
