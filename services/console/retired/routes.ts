import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { readAssets } from '../../../domain/master-data/assets/queries.ts';
import { readLocations } from '../../../domain/master-data/locations/queries.ts';
import type { AssetRow, LocationRow } from '../../../domain/master-data/rows.ts';
import { MOST_TAGS, PARENT_COLUMN, type Parent } from '../../../domain/master-data/tags/queries.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { ASSET, assetView, LOCATION, locationView } from '../../api/entry.ts';
import { memberRoute } from '../serving/context.ts';

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/retired-assets/{retired_asset_id}', operationId: 'getRetiredAsset' },
  summary: 'An asset that was retired, with the tags that it had then',
  scope: 'assets:read',
  params: { retired_asset_id: idInPath },
  find: {
    missing: 'Asset not found',
    row: async ({ context: { db }, params: { retired_asset_id: id } }) =>
      retired(db, 'asset', await readAssets(db, [id])),
  },
  success: found(ASSET, 'The asset'),
  handle: async ({ row }) => assetView(row),
});

const readLocation = memberRoute({
  ...{ method: 'GET', path: '/console/v1/retired-locations/{retired_location_id}' },
  operationId: 'getRetiredLocation',
  summary: 'A location that was retired, with the tags that it had then',
  scope: 'locations:read',
  params: { retired_location_id: idInPath },
  find: {
    missing: 'Location not found',
    row: async ({ context: { db }, params: { retired_location_id: id } }) =>
      retired(db, 'location', await readLocations(db, [id])),
  },
  success: found(LOCATION, 'The location'),
  handle: async ({ row }) => locationView(row),
});

/** The row, with the tags that were detached by its retirement; null if it is live. */
async function retired<Row extends AssetRow | LocationRow>(
  db: OrganizationDatabase,
  parent: Parent,
  [row]: readonly Row[],
): Promise<Row | null> {
  if (row === undefined || row.deleted_at === null) {
    return null;
  }
  const { tags } = await db.one(sql.type(rowsOf<{ tags: string }>())`
    select coalesce(json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value) order by tag.id),
      '[]')::text as tags
    from (
      select id, tag_type, value from tags
      where org_id = ${db.orgId} and ${PARENT_COLUMN[parent]} = ${row.id} and detached_at >= ${row.deleted_at}::timestamptz
      limit ${MOST_TAGS}
    ) tag`);
  return { ...row, tags };
}

export const retiredRoutes = [read, readLocation];
