import type { TestApi } from '../../support/api.ts';
import { appendMoves } from '../../support/feed-rows.ts';

/**
 * Rows for ids from 1 on: a tree of locations, assets with tags, positions, transitions, and events of the feed; and
 * some of another organization.
 */
export async function furnish(api: TestApi): Promise<void> {
  const other = await api.organization('Other');
  for (const orgId of [api.orgId, other.orgId, api.orgId]) {
    await api.database.pool.query(FURNISH.replaceAll('ORG', String(orgId)));
    const assets = await api.database.rows<{ asset_id: number; location_id: number }>(
      'select asset_id, location_id from positions where org_id = $1',
      [orgId],
    );
    const moves = assets.map(({ asset_id: assetId, location_id: locationId }) => ({ assetId, locationId }));
    await appendMoves(api.database, orgId, moves);
  }
}

const FURNISH = `
  with location as (
    insert into locations (org_id, external_key, name) select ORG, 'L-' || gen_random_uuid(), 'Dock' from generate_series(1, 3)
    returning id
  ), child as (
    insert into locations (org_id, external_key, name, parent_id)
    select ORG, 'L-' || gen_random_uuid(), 'Door', id from location returning id
  ), asset as (
    insert into assets (org_id, external_key, name, metadata)
    select ORG, 'A-' || gen_random_uuid(), 'Pallet', '{"n":1.10}' from generate_series(1, 3) returning id
  ), tag as (
    insert into tags (org_id, tag_type, value, tag_key, asset_id) select ORG, 'rfid', 'E' || id, 'E' || id, id from asset
  ), stay as (
    select asset.id, location.id as location_id, now() - asset.id * interval '1 minute' as at
    from asset cross join (select min(id) as id from location) location
  ), transition as (
    insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
    select ORG, id, at, location_id, null from stay
  )
  insert into positions (org_id, asset_id, location_id, since, last_seen) select ORG, id, location_id, at, at from stay`;

/** Undoes the deletion of those rows, so that later requests find them. */
export async function revive({ database }: TestApi): Promise<void> {
  await database.pool.query(REVIVE);
}

const REVIVE = `
  update locations set deleted_at = null, external_key = 'L-' || gen_random_uuid() where id <= 18 and deleted_at is not null;
  update assets set deleted_at = null, external_key = 'A-' || gen_random_uuid() where id <= 9 and deleted_at is not null;
  update tags set detached_at = null, value = gen_random_uuid()::text where id <= 9 and detached_at is not null`;
