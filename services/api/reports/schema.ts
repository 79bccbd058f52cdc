import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA } from '../../shared/http/fields.ts';
import { PAGING, sortBy } from '../../shared/http/lists.ts';
import { nullableSchema } from '../../shared/http/members.ts';
import { anyOf, booleanFilter, idFilter, keyFilter } from '../../shared/http/parameters.ts';
import type { Query, Read } from '../../shared/http/query.ts';

/** A row of the report on the wire (interface section 2.5). */
export const ASSET_LOCATION: JsonSchema = {
  type: 'object',
  properties: {
    asset_id: ID_SCHEMA,
    asset_external_key: KEY_SCHEMA,
    location_id: nullableSchema(ID_SCHEMA),
    location_external_key: nullableSchema(KEY_SCHEMA),
    asset_deleted_at: { type: ['string', 'null'], format: 'date-time' },
    asset_last_seen: { type: 'string', format: 'date-time' },
  },
  required: [
    'asset_id',
    'asset_external_key',
    'location_id',
    'location_external_key',
    'asset_deleted_at',
    'asset_last_seen',
  ],
  additionalProperties: false,
};

/** The parameters of the report (interface section 4.4). */
export const ASSET_LOCATIONS = {
  parameters: {
    asset_id: anyOf(idFilter),
    asset_external_key: anyOf(keyFilter),
    location_id: anyOf(idFilter),
    location_external_key: anyOf(keyFilter),
    include_deleted: booleanFilter(false),
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

export type AssetLocationFilters = Read<(typeof ASSET_LOCATIONS)['parameters']>;
