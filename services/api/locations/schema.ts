import { jsonBody, type MergePatch, mergePatchOf } from '../../shared/http/body.ts';
import {
  arrayOf,
  externalKey,
  flag,
  ID_SCHEMA,
  id,
  type JsonSchema,
  KEY_SCHEMA,
  text,
  timestamp,
} from '../../shared/http/fields.ts';
import { PAGING, sortBy } from '../../shared/http/lists.ts';
import { mandatory, nullable, nullableSchema, optional, type Values } from '../../shared/http/members.ts';
import { anyOf, booleanFilter, idFilter, keyFilter, searchText } from '../../shared/http/parameters.ts';
import type { Query, Read } from '../../shared/http/query.ts';
import { managedMembers } from '../read-only.ts';
import { newTag, TAG } from '../tags/schema.ts';
import type { LocationRow } from './view.ts';

const TIME: JsonSchema = { type: 'string', format: 'date-time' };

/** A location on the wire (interface section 2.3). */
export const LOCATION: JsonSchema = {
  type: 'object',
  properties: {
    id: ID_SCHEMA,
    external_key: KEY_SCHEMA,
    name: { type: 'string', minLength: 1, maxLength: 255 },
    description: { type: ['string', 'null'], minLength: 1, maxLength: 1024 },
    parent_id: nullableSchema(ID_SCHEMA),
    parent_external_key: nullableSchema(KEY_SCHEMA),
    is_active: { type: 'boolean' },
    valid_from: TIME,
    valid_to: nullableSchema(TIME),
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
    'parent_id',
    'parent_external_key',
    'is_active',
    'valid_from',
    'valid_to',
    'tags',
    'created_at',
    'updated_at',
    'deleted_at',
  ],
  additionalProperties: false,
};

/** What a rename answers (interface section 4.3). */
export const RENAMED_LOCATION: JsonSchema = {
  type: 'object',
  properties: { data: LOCATION, descendant_count_affected: { type: 'integer', minimum: 0 } },
  required: ['data', 'descendant_count_affected'],
  additionalProperties: false,
};

const NEW_LOCATION = {
  external_key: optional(externalKey),
  name: mandatory(text(255)),
  description: nullable(text(1024)),
  parent_id: nullable(id),
  parent_external_key: nullable(externalKey),
  is_active: optional(flag),
  valid_from: optional(timestamp),
  valid_to: nullable(timestamp),
  tags: optional(arrayOf(newTag)),
};

export type NewLocation = Values<typeof NEW_LOCATION>;

export const newLocationBody = jsonBody(NEW_LOCATION, {
  exclusive: [['parent_id', 'parent_external_key']],
});

const managed = managedMembers('locations', TAG);

const LOCATION_PATCH = {
  id: managed.id,
  external_key: managed.external_key,
  name: optional(text(255)),
  description: nullable(text(1024)),
  parent_id: nullable(id),
  parent_external_key: nullable(externalKey),
  is_active: optional(flag),
  valid_from: optional(timestamp),
  valid_to: nullable(timestamp),
  tags: managed.tags,
  created_at: managed.created_at,
  updated_at: managed.updated_at,
  deleted_at: managed.deleted_at,
};

export type LocationChanges = Values<typeof LOCATION_PATCH>;

export type LocationPatch = MergePatch<LocationRow, LocationChanges>;

export const locationPatchBody = mergePatchOf<LocationRow>()(LOCATION_PATCH);

export const LOCATION_SORT_FIELDS = ['external_key', 'name', 'created_at'] as const;

/** The filters of the location list (interface section 4.3). */
export const LOCATION_LIST = {
  parameters: {
    external_key: anyOf(keyFilter),
    id: idFilter,
    parent_id: idFilter,
    parent_external_key: keyFilter,
    is_active: booleanFilter(undefined),
    include_deleted: booleanFilter(false),
    q: searchText,
    sort: sortBy(LOCATION_SORT_FIELDS, [{ field: 'external_key', isDescending: false }]),
    ...PAGING,
  },
  exclusive: [['parent_id', 'parent_external_key']],
} as const satisfies Query;

export type LocationFilters = Read<(typeof LOCATION_LIST)['parameters']>;

/** The tree endpoints have one order, and page through it. */
export const TREE = {
  parameters: PAGING,
  unsupported: { sort: 'sort parameter not supported on this endpoint' },
} as const satisfies Query;
