import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { dwell } from './dwell-route.ts';
import { positionsAt } from './positions-at-route.ts';
import { presence } from './presence-route.ts';
import { listAssetLocations } from './queries.ts';
import { ASSET_LOCATION, ASSET_LOCATIONS } from './schema.ts';
import { stays } from './stays-route.ts';
import { sweeps } from './sweeps-route.ts';
import { turns } from './turns-route.ts';
import { assetLocationView } from './view.ts';

const assetLocations = route({
  method: 'GET',
  path: '/api/v1/reports/asset-locations',
  operationId: 'reportAssetLocations',
  summary: 'Report where the scanned assets are',
  description:
    'One row for each asset that was ever seen, those seen last first. Only assets in effect now are in it, unless `include_not_in_effect` asks for the others too. The filters of assets and of locations narrow the report together.',
  scope: 'tracking:read',
  query: ASSET_LOCATIONS,
  params: {},
  success: listed(ASSET_LOCATION, 'A page of scanned assets'),
  handle: async ({ context, query, signal }) =>
    listBody(await listAssetLocations(context.db, query, signal()), query, assetLocationView),
});

export const reportRoutes = [assetLocations, presence, positionsAt, stays, dwell, turns, sweeps];
