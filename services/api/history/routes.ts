import { findLiveById } from '../../../domain/master-data/by-id-or-key.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSET_ID } from '../items/item-schema.ts';
import { knownOf } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { historyItemView, listKnownTransitions, listTransitions } from './queries.ts';
import { HISTORY, HISTORY_ITEM } from './schema.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/assets/{asset_id}/history',
  operationId: 'listAssetHistory',
  summary: 'List where an asset has been',
  description:
    'One row for each move, newest first. Durations are those of the whole history, whatever `from`, `to` and the page. With `known_at`, the history as known then, without anything recorded later.',
  scope: 'tracking:read',
  query: HISTORY,
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  success: listed(HISTORY_ITEM, 'A page of transitions'),
  handle: async ({ context: { db }, query, row: assetId, signal }) => {
    const { known_at: knownAt } = query;
    const page =
      knownAt === undefined
        ? listTransitions(db, assetId, query, signal())
        : listKnownTransitions(db, assetId, await knownOf(db, knownAt), query, signal());
    return listBody(await page, query, historyItemView);
  },
});

export const historyRoutes = [list];
