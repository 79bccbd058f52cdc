import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { jsonOrNull } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import {
  type AssetLocationRow,
  listAssetLocations,
} from '../../../domain/reports/asset-locations/list-asset-locations.ts';
import { AFTER, EXCLUDED_BY_AFTER, listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import { anyOf, booleanFilter, described, idFilter, keyFilter } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { POSITION } from '../items/item-schema.ts';
import { route } from '../serving/context.ts';
import { dwell } from './dwell-route.ts';
import { positionsAt } from './positions-at-route.ts';
import { presence } from './presence-route.ts';
import { stays } from './stays-route.ts';
import { sweeps } from './sweeps-route.ts';
import { turns } from './turns-route.ts';

/** Contract 2.5. */
const ASSET_LOCATION: JsonSchema = {
  title: 'AssetLocationItem',
  description: 'Where an asset was seen last. An asset that was never seen has no row.',
  type: 'object',
  properties: {
    asset_id: { ...ID_SCHEMA, description: 'The asset.' },
    asset_external_key: { ...KEY_SCHEMA, description: 'The external key of the asset.' },
    location_id: {
      ...nullableSchema(ID_SCHEMA),
      description: 'Where it is. Null if that location is deleted by now.',
    },
    location_external_key: {
      ...nullableSchema(KEY_SCHEMA),
      description: 'The external key of the same location.',
    },
    asset_deleted_at: {
      ...nullableSchema(TIME_SCHEMA),
      description: 'When the asset was soft-deleted. Null if it is live.',
    },
    asset_last_seen: { ...TIME_SCHEMA, description: 'When it was seen last.' },
    position: POSITION,
  },
  required: [
    'asset_id',
    'asset_external_key',
    'location_id',
    'location_external_key',
    'asset_deleted_at',
    'asset_last_seen',
    'position',
  ],
  examples: [
    {
      asset_id: 17,
      asset_external_key: 'PALLET-17',
      location_id: 4,
      location_external_key: 'DOCK-1',
      asset_deleted_at: null,
      asset_last_seen: '2026-05-04T09:58:12.500Z',
      position: null,
    },
  ],
};

/** Contract 4.4. */
const ASSET_LOCATIONS = {
  parameters: {
    asset_id: described(anyOf(idFilter), 'Only these assets.', [17, 18]),
    asset_external_key: described(anyOf(keyFilter), 'Only these assets.', ['PALLET-17']),
    location_id: described(anyOf(idFilter), 'Only assets that are at one of these locations.', [4]),
    location_external_key: described(anyOf(keyFilter), 'Only assets that are at one of these locations.', [
      'DOCK-1',
    ]),
    include_deleted: described(booleanFilter(false), 'Soft-deleted assets too.'),
    include_not_in_effect: described(
      booleanFilter(false),
      'Assets too that are not in effect: `valid_from` has not come yet, or `valid_to` has.',
    ),
    sort: sortBy(
      ['asset_external_key', 'location_external_key', 'asset_last_seen'],
      [{ field: 'asset_last_seen', isDescending: true }],
    ),
    ...PAGING,
    ...AFTER,
  },
  exclusive: [
    ['asset_id', 'asset_external_key'],
    ['location_id', 'location_external_key'],
    ...EXCLUDED_BY_AFTER,
  ],
} as const satisfies Query;

const assetLocations = route({
  method: 'GET',
  path: '/api/v1/reports/asset-locations',
  operationId: 'reportAssetLocations',
  summary: 'Report where the scanned assets are',
  description:
    'One row for each asset that was ever seen, last seen first. Only assets in effect now; `include_not_in_effect` adds the others. All filters must match.',
  scope: 'tracking:read',
  query: ASSET_LOCATIONS,
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
