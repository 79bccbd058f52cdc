import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import { anyOf, booleanFilter, described, idFilter, keyFilter } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { POSITION } from '../items/item-schema.ts';

/** Contract 2.5. */
export const ASSET_LOCATION: JsonSchema = {
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
export const ASSET_LOCATIONS = {
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
  },
  exclusive: [
    ['asset_id', 'asset_external_key'],
    ['location_id', 'location_external_key'],
  ],
} as const satisfies Query;
