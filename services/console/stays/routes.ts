import { findLiveById } from '../../../domain/master-data/by-id.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { readStays } from './queries.ts';
import { STAYS, STAYS_QUERY } from './schema.ts';
import { staysView } from './view.ts';

export const OF_ASSET = {
  params: { asset_id: idInPath },
  find: {
    missing: 'Asset not found',
    row: ({ context, params }: { context: ConsoleContext; params: { asset_id: number } }) =>
      findLiveById(context.db, 'asset', params.asset_id),
  },
};

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/assets/{asset_id}/stays', operationId: 'listStays' },
  summary: 'Where an asset was, stay by stay',
  description: 'Those that overlap the range, oldest first; the newest of them if they are too many.',
  scope: 'tracking:read',
  query: STAYS_QUERY,
  ...OF_ASSET,
  success: found(STAYS, 'The stays'),
  handle: async ({ context, query, row: assetId, signal }) =>
    staysView(await readStays(context.db, assetId, query, signal())),
});

export const stayRoutes = [list];
