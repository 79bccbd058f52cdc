import { jsonOrNull } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import {
  type AssetLocationRow,
  listAssetLocations,
} from '../../../domain/reports/asset-locations/list-asset-locations.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { dwell } from './dwell-route.ts';
import { positionsAt } from './positions-at-route.ts';
import { presence } from './presence-route.ts';
import { ASSET_LOCATION, ASSET_LOCATIONS } from './schema.ts';
import { stays } from './stays-route.ts';
import { sweeps } from './sweeps-route.ts';
import { turns } from './turns-route.ts';

const assetLocations = route({
  method: 'GET',
  path: '/api/v1/reports/asset-locations',
  operationId: 'reportAssetLocations',
  summary: 'Report where the scanned assets are',
  description:
    'One row for each asset that was ever seen, last seen first. Only assets in effect now; `include_not_in_effect` adds the others. All filters must match.',
  scope: 'tracking:read',
  query: ASSET_LOCATIONS,
  params: {},
  success: listed(ASSET_LOCATION, 'A page of scanned assets'),
  handle: async ({ context, query, signal }) =>
    listBody(await listAssetLocations(context.db, query, signal()), query, assetLocationView),
});

/** Contract 2.5. */
function assetLocationView(row: AssetLocationRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    asset_last_seen: wireTime(row.last_seen),
    position: jsonOrNull(row.position),
  };
}

export const reportRoutes = [assetLocations, presence, positionsAt, stays, dwell, turns, sweeps];
