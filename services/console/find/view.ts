import type { Page } from '../../../base/page.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { StayRow, WhereaboutsRow } from '../../../domain/master-data/assets/whereabouts.ts';
import { referenceOf } from '../serving/reference.ts';
import type { FoundLocationRow } from './queries.ts';

/** @param stays of each asset the latest first. */
export function foundView(
  assets: Page<WhereaboutsRow>,
  stays: readonly StayRow[],
  locations: Page<FoundLocationRow>,
) {
  const staysOf = Map.groupBy(stays, ({ asset_id: id }) => id);
  return {
    assets: assets.rows.map((row) => assetView(row, staysOf.get(row.id) ?? [])),
    asset_count: assets.totalCount,
    locations: locations.rows.map((row) => ({
      ...{ id: row.id, external_key: row.external_key, name: row.name },
      parent: referenceOf(row.parent_id, row.parent_external_key, row.parent_name),
      assets_here: row.assets_here,
    })),
    location_count: locations.totalCount,
  };
}

function assetView(row: WhereaboutsRow, stays: readonly StayRow[]) {
  return {
    ...{ id: row.id, external_key: row.external_key, name: row.name },
    last_seen: wireTimeOrNull(row.last_seen),
    since: wireTimeOrNull(row.since),
    location: referenceOf(row.location_id, row.location_external_key, row.location_name),
    tags: JSON.parse(row.tags),
    stays: stays.map(({ arrived_at, id, external_key, name }, index) => ({
      location: { id, external_key, name },
      arrived_at: wireTime(arrived_at),
      left_at: wireTimeOrNull(stays[index - 1]?.arrived_at ?? null),
    })),
  };
}
