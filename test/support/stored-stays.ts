import type { TestDatabase } from './database.ts';

/**
 * Stores stays by plain SQL: each of the assets `MOVED-1`, ... goes to and fro between two locations, an hour at each, from
 * 2021 on.
 */
export async function storeStays(
  database: TestDatabase,
  orgId: number,
  { assets, stays }: { assets: number; stays: number },
): Promise<void> {
  await database.rows(
    `with place as (
       insert into locations (org_id, external_key, name)
       select $1, 'PLACE-' || n, 'Any' from generate_series(0, 1) n returning id, external_key
     ), asset as (
       insert into assets (org_id, external_key, name)
       select $1, 'MOVED-' || n, 'Any' from generate_series(1, $2::integer) n returning id
     ), stay as (
       select asset.id as asset_id, place.id as location_id, step,
         timestamptz '2021-01-01T00:00:00Z' + step * interval '1 hour' as entered_at
       from asset, generate_series(0, $3::integer - 1) step, place
       where place.external_key = 'PLACE-' || step % 2
     ), moved as (
       insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select $1, asset_id, entered_at, location_id, case when step > 0 then 3600 end from stay
     )
     insert into positions (org_id, asset_id, location_id, since, last_seen)
     select $1, asset_id, location_id, entered_at, entered_at from stay where step = $3::integer - 1`,
    [orgId, assets, stays],
  );
}
