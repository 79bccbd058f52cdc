import { jsonBody, type MergePatch, mergePatchOf } from '../../shared/http/body.ts';
import {
  arrayOf,
  externalKey,
  flag,
  ID_SCHEMA,
  type JsonSchema,
  jsonObject,
  KEY_SCHEMA,
  text,
  timestamp,
} from '../../shared/http/fields.ts';
import { PAGING, sortBy } from '../../shared/http/lists.ts';
import {
  mandatory,
  nullable,
  nullableSchema,
  optional,
  refusedMember,
  unchanged,
  type Values,
} from '../../shared/http/members.ts';
import { anyOf, booleanFilter, idFilter, keyFilter, searchText } from '../../shared/http/parameters.ts';
import type { Query, Read } from '../../shared/http/query.ts';
import { sameScalar } from '../../shared/http/same.ts';
import { managedMembers } from '../read-only.ts';
import { newTag, TAG } from '../tags/schema.ts';
import type { AssetRow } from './view.ts';

const TIME: JsonSchema = { type: 'string', format: 'date-time' };

/** An asset on the wire (interface section 2.2). */
export const ASSET: JsonSchema = {
  type: 'object',
  properties: {
    id: ID_SCHEMA,
    external_key: KEY_SCHEMA,
    name: { type: 'string', minLength: 1, maxLength: 255 },
    description: { type: ['string', 'null'], minLength: 1, maxLength: 1024 },
    location_id: nullableSchema(ID_SCHEMA),
    location_external_key: nullableSchema(KEY_SCHEMA),
    is_active: { type: 'boolean' },
    valid_from: TIME,
    valid_to: nullableSchema(TIME),
    metadata: { type: 'object', additionalProperties: true },
    tags: { type: 'array', items: TAG },
    created_at: TIME,
    updated_at: TIME,
    deleted_at: nullableSchema(TIME),
  },
  required: [
    'id',
    'external_key',
    'name',
    'description',
    'location_id',
    'location_external_key',
    'is_active',
    'valid_from',
    'valid_to',
    'metadata',
    'tags',
    'created_at',
    'updated_at',
    'deleted_at',
  ],
  additionalProperties: false,
};

/** What a rename answers (interface section 4.2). */
export const RENAMED_ASSET: JsonSchema = {
  type: 'object',
  properties: { data: ASSET, descendant_count_affected: { const: 0 } },
  required: ['data', 'descendant_count_affected'],
  additionalProperties: false,
};

const LOCATION_IS_READ_ONLY =
  'asset location is collected through scan event ingestion (fixed-reader MQTT pipeline or handheld UI submission) and is not directly settable through the public API';

const NEW_ASSET = {
  external_key: optional(externalKey),
  name: mandatory(text(255)),
  description: nullable(text(1024)),
  location_id: refusedMember(LOCATION_IS_READ_ONLY),
  location_external_key: refusedMember(LOCATION_IS_READ_ONLY),
  is_active: optional(flag),
  valid_from: optional(timestamp),
  valid_to: nullable(timestamp),
  metadata: optional(jsonObject),
  tags: optional(arrayOf(newTag)),
};

export type NewAsset = Values<typeof NEW_ASSET>;

export const newAssetBody = jsonBody(NEW_ASSET);

const managed = managedMembers('assets', TAG);

const ASSET_PATCH = {
  id: managed.id,
  external_key: managed.external_key,
  name: optional(text(255)),
  description: nullable(text(1024)),
  location_id: unchanged<AssetRow>(nullableSchema(ID_SCHEMA), LOCATION_IS_READ_ONLY, (value, asset) =>
    sameScalar(value, asset.location_id),
  ),
  location_external_key: unchanged<AssetRow>(
    nullableSchema(KEY_SCHEMA),
    LOCATION_IS_READ_ONLY,
    (value, asset) => sameScalar(value, asset.location_external_key),
  ),
  is_active: optional(flag),
  valid_from: optional(timestamp),
  valid_to: nullable(timestamp),
  metadata: optional(jsonObject),
  tags: managed.tags,
  created_at: managed.created_at,
  updated_at: managed.updated_at,
  deleted_at: managed.deleted_at,
};

export type AssetChanges = Values<typeof ASSET_PATCH>;

export type AssetPatch = MergePatch<AssetRow, AssetChanges>;

export const assetPatchBody = mergePatchOf<AssetRow>()(ASSET_PATCH);

export const ASSET_SORT_FIELDS = ['external_key', 'name', 'created_at', 'updated_at'] as const;

/** The filters of the asset list (interface section 4.2). */
export const ASSET_LIST = {
  parameters: {
    external_key: anyOf(keyFilter),
    location_id: anyOf(idFilter),
    location_external_key: anyOf(keyFilter),
    is_active: booleanFilter(undefined),
    include_deleted: booleanFilter(false),
    q: searchText,
    sort: sortBy(ASSET_SORT_FIELDS, [{ field: 'external_key', isDescending: false }]),
    ...PAGING,
  },
  exclusive: [['location_id', 'location_external_key']],
} as const satisfies Query;

export type AssetFilters = Read<(typeof ASSET_LIST)['parameters']>;
