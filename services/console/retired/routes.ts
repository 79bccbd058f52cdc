import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { readAssets } from '../../../domain/master-data/assets/queries.ts';
import { MOST_TAGS } from '../../../domain/master-data/tags/queries.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { ASSET, assetView } from '../../api/entry.ts';
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

async function findRetired({
  context: { db },
  params: { retired_asset_id: id },
}: {
  context: ConsoleContext;
  params: { retired_asset_id: number };
}) {
  const [asset] = await readAssets(db, [id]);
  if (asset === undefined || asset.deleted_at === null) {
    return null;
  }
  const { tags } = await db.one(sql.type(rowsOf<{ tags: string }>())`
    select coalesce(json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value) order by tag.id),
      '[]')::text as tags
    from (
      select id, tag_type, value from tags
      where org_id = ${db.orgId} and asset_id = ${id} and detached_at >= ${asset.deleted_at}::timestamptz
      limit ${MOST_TAGS}
    ) tag`);
  return { ...asset, tags };
}

export const retiredRoutes = [read];
