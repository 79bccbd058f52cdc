import type { Transition } from '../../domain/tracking/history/history.ts';
import type { TestDatabase } from './database.ts';

/** Gives an asset these rows of history and no others, and the position that goes with them. */
export async function storeHistory(
  database: TestDatabase,
  { orgId, assetId }: { orgId: number; assetId: number },
  transitions: readonly Transition[],
): Promise<void> {
  await database.rows('delete from location_transitions where org_id = $1 and asset_id = $2', [
    orgId,
    assetId,
  ]);
  await database.rows(
    `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
     select $1, $2, time_of_micros(at), place, seconds
     from unnest($3::bigint[], $4::integer[], $5::bigint[]) as made (at, place, seconds)`,
    [
      orgId,
      assetId,
      transitions.map(({ observedAt }) => observedAt),
      transitions.map(({ locationId }) => locationId),
      transitions.map(({ durationSeconds }) => durationSeconds),
    ],
  );
  const last = transitions.at(-1);
  await database.rows(
    'update positions set location_id = $3, since = time_of_micros($4) where org_id = $1 and asset_id = $2',
    [orgId, assetId, last?.locationId, last?.observedAt],
  );
}
