import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { readAssets } from '../../../domain/master-data/assets/queries.ts';
import { readLocations } from '../../../domain/master-data/locations/queries.ts';
import { MOST_TAGS } from '../../../domain/master-data/tags/queries.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { ASSET, assetView, LOCATION, locationView } from '../../api/entry.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/retired-assets/{retired_asset_id}', operationId: 'getRetiredAsset' },
  summary: 'An asset that was retired, with the tags that it had then',
  scope: 'assets:read',
  query: NO_QUERY,
  params: { retired_asset_id: idInPath },
  find: { missing: 'Asset not found', row: findRetired },
  success: found(ASSET, 'The asset'),
  handle: async ({ row }) => assetView(row),
});

const readLocation = memberRoute({
  ...{ method: 'GET', path: '/console/v1/retired-locations/{retired_location_id}' },
  operationId: 'getRetiredLocation',
  summary: 'A location that was retired, with the tags that it had then',
  scope: 'locations:read',
  query: NO_QUERY,
  params: { retired_location_id: idInPath },
  find: { missing: 'Location not found', row: findRetiredLocation },
  success: found(LOCATION, 'The location'),
  handle: async ({ row }) => locationView(row),
});

async function findRetired({
  context: { db },
  params: { retired_asset_id: id },
}: {
  context: ConsoleContext;
  params: { retired_asset_id: number };
}) {
  const [asset] = await readAssets(db, [id]);
  return asset === undefined || asset.deleted_at === null
    ? null
    : { ...asset, tags: await tagsThen(db, 'asset_id', id, asset.deleted_at) };
}

async function findRetiredLocation({
  context: { db },
  params: { retired_location_id: id },
}: {
  context: ConsoleContext;
  params: { retired_location_id: number };
}) {
  const [location] = await readLocations(db, [id]);
  return location === undefined || location.deleted_at === null
    ? null
    : { ...location, tags: await tagsThen(db, 'location_id', id, location.deleted_at) };
}

/** JSON: those that were detached by its retirement. */
async function tagsThen(
  db: OrganizationDatabase,
  owner: 'asset_id' | 'location_id',
  id: number,
  retiredAt: string,
): Promise<string> {
  const { tags } = await db.one(sql.type(rowsOf<{ tags: string }>())`
    select coalesce(json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value) order by tag.id),
      '[]')::text as tags
    from (
      select id, tag_type, value from tags
      where org_id = ${db.orgId} and ${sql.identifier([owner])} = ${id} and detached_at >= ${retiredAt}::timestamptz
      limit ${MOST_TAGS}
    ) tag`);
  return tags;
}

export const retiredRoutes = [read, readLocation];
