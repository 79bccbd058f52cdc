import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { PairMap } from './pair-map.ts';

export interface LocationRef {
  orgId: number;
  locationId: number;
}

/**
 * Finds those of `locations` that are live, and keeps them so until this transaction ends: deleting one takes its row's
 * full lock and waits. Renaming, re-parenting and other recorders do not wait.
 *
 * @param locations ids of null are skipped.
 */
export async function lockLiveLocations(
  db: Connection,
  locations: readonly { orgId: number; locationId: number | null }[],
): Promise<LiveLocations> {
  const live = new PairMap<number, number, true>();
  const distinct = distinctLocations(locations);
  if (distinct.length === 0) {
    return live;
  }
  const rows = await db.any(sql.prepared('lock-locations', rowsOf<{ org_id: number; id: number }>())`
    select location.org_id, location.id
    from (
      select org_id, id
      from unnest(
        ${sql.binary(integers(distinct.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(distinct.map(({ locationId }) => locationId)))}::integer[]) as given (org_id, id)
      order by org_id, id
    ) wanted
    cross join lateral (
      select org_id, id from locations
      where org_id = wanted.org_id and id = wanted.id and deleted_at is null
      for key share
    ) location`);
  for (const { org_id: orgId, id } of rows) {
    live.add(orgId, id, true);
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
