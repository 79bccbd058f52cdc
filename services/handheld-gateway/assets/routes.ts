import {
  findWhereabouts,
  lastStays,
  listWhereabouts,
  searchWhereabouts,
} from '../../../domain/master-data/assets/whereabouts.ts';
import { presenceOfAsset } from '../../../domain/reports/presence/presence-of-asset.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found, listed } from '../../../platform/http/success.ts';
import { PAGING } from '../lookup/schema.ts';
import { route } from '../serving/context.ts';
import { ASSET, ASSET_ID, ASSET_PAGE, ASSETS_QUERY, MOST_STAYS } from './schema.ts';
import { assetPageView, assetView } from './view.ts';

const list = route({
  method: 'GET',
  path: '/handheld/v1/assets',
  operationId: 'listHandheldAssets',
  summary: 'List or find live assets, and where they are',
  description: 'By external key, to find them without a network; or those that a person looks for (`q`).',
  scope: null,
  query: ASSETS_QUERY,
  params: {},
  success: listed(ASSET, 'A page of assets', {}, PAGING),
  handle: async ({ context, query: { q, ...paging }, signal }) =>
    listBody(
      await (q === undefined
        ? listWhereabouts(context.db, paging, signal())
        : searchWhereabouts(context.db, q, paging, signal())),
      paging,
      assetView,
    ),
});

const one = route({
  method: 'GET',
  path: '/handheld/v1/assets/{asset_id}',
  operationId: 'getHandheldAsset',
  summary: 'Look at an asset',
  description:
    'Where it is, since when, whether it is still there as far as that can be told, and its last places.',
  scope: null,
  query: NO_QUERY,
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findWhereabouts(context.db, params.asset_id),
  },
  success: found(ASSET_PAGE, 'The asset'),
  handle: async ({ context, row, signal }) => {
    const [stays, presence] = await Promise.all([
      lastStays(context.db, [row.id], MOST_STAYS),
      presenceOfAsset(context.db, row.id, signal()),
    ]);
    return assetPageView(row, stays, presence);
  },
});

export const assetRoutes = [list, one];
