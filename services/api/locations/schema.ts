import { jsonBody, type MergePatch, mergePatchOf } from '../../shared/http/body.ts';
import {
  arrayOf,
  externalKey,
  flag,
  ID_SCHEMA,
  id,
  type JsonSchema,
  KEY_SCHEMA,
  TIME_SCHEMA,
  text,
  timestamp,
} from '../../shared/http/fields.ts';
import { PAGING, sortBy } from '../../shared/http/lists.ts';
import { mandatory, nullable, nullableSchema, optional, type Values } from '../../shared/http/members.ts';
import {
  anyOf,
  booleanFilter,
  described,
  idFilter,
  idInPath,
  keyFilter,
  searchText,
} from '../../shared/http/parameters.ts';
import type { Query, Read } from '../../shared/http/query.ts';
import { managedMembers } from '../read-only.ts';
import { newTag, TAG } from '../tags/schema.ts';
import type { LocationRow } from './view.ts';

/** A location on the wire (interface section 2.3). */
export const LOCATION: JsonSchema = {
  title: 'Location',
  description: 'A place where assets can be, in a tree of places.',
  type: 'object',
  properties: {
    id: { ...ID_SCHEMA, description: 'Assigned by the service; never changes.' },
    external_key: {
      ...KEY_SCHEMA,
      description:
        'Your own key, unique among the live locations of the organization; case matters. One is made (`LOC-0001`) if you give none. Changed by a rename only.',
    },
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'What people call it.' },
    description: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 1024,
      description: 'What else there is to say. Null for nothing.',
    },
    parent_id: {
      ...nullableSchema(ID_SCHEMA),
      description: 'The location directly above it. Null at the root.',
    },
    parent_external_key: {
      ...nullableSchema(KEY_SCHEMA),
      description: 'The external key of the same parent. Write either of the two.',
    },
    is_active: { type: 'boolean', description: 'Yours to use. True if you say nothing on create.' },
    valid_from: {
      ...TIME_SCHEMA,
      description: 'From when on it is in effect. The time of creation if you give none.',
    },
    valid_to: {
      ...nullableSchema(TIME_SCHEMA),
      description: 'Until when it is in effect. Null for no end.',
    },
    tags: {
      type: 'array',
      items: TAG,
      description:
        'What is attached to it, in order of id. Given on create; later by attaching and detaching.',
    },
    created_at: { ...TIME_SCHEMA, description: 'When it was created.' },
    updated_at: { ...TIME_SCHEMA, description: 'When it was changed last; moves with every change.' },
    deleted_at: {
      ...nullableSchema(TIME_SCHEMA),
      description: 'When it was soft-deleted. Null if it is live.',
    },
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
  examples: [
    {
      id: 4,
      external_key: 'DOCK-1',
      name: 'Dock 1',
      description: 'South side, doors 1 to 4',
      parent_id: 1,
      parent_external_key: 'WAREHOUSE',
      is_active: true,
      valid_from: '2026-05-04T07:30:00.000Z',
      valid_to: null,
      tags: [],
      created_at: '2026-05-04T07:30:00.000Z',
      updated_at: '2026-05-04T07:30:00.000Z',
      deleted_at: null,
    },
  ],
};

/** The path of a location. */
export const LOCATION_ID = { location_id: described(idInPath, 'Id of the location.', 4) };

/** What a rename answers (interface section 4.3). */
export const RENAMED_LOCATION: JsonSchema = {
  title: 'RenamedLocation',
  type: 'object',
  properties: {
    data: LOCATION,
    descendant_count_affected: {
      type: 'integer',
      minimum: 0,
      description: 'How many live locations are below the renamed one.',
      examples: [12],
    },
  },
  required: ['data', 'descendant_count_affected'],
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
  title: 'NewLocation',
  description: 'A location to create. Only the name is required; give at most one form of the parent.',
  like: LOCATION,
  example: {
    external_key: 'DOCK-1',
    name: 'Dock 1',
    description: 'South side, doors 1 to 4',
    parent_external_key: 'WAREHOUSE',
  },
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

/** Changes to the location that is the example. */
export const LOCATION_PATCH_EXAMPLE = { description: 'South side, doors 1 to 6', parent_id: 1 };

export const locationPatchBody = mergePatchOf<LocationRow>()(LOCATION_PATCH, {
  title: 'LocationPatch',
  description:
    'What to change, as a JSON Merge Patch. Null in either form of the parent moves the location to the root. Read-only fields may be sent with the value they have; with another one they are refused.',
  like: LOCATION,
  example: LOCATION_PATCH_EXAMPLE,
});

export const LOCATION_SORT_FIELDS = ['external_key', 'name', 'created_at'] as const;

/** The filters of the location list (interface section 4.3). */
export const LOCATION_LIST = {
  parameters: {
    external_key: described(anyOf(keyFilter), 'Locations with one of these keys.', ['DOCK-1', 'DOCK-2']),
    id: described(idFilter, 'The location with this id; with `include_deleted`, even a deleted one.', 4),
    parent_id: described(idFilter, 'Locations directly below this one.', 1),
    parent_external_key: described(keyFilter, 'Locations directly below this one.', 'WAREHOUSE'),
    is_active: described(
      booleanFilter(undefined),
      'Only active locations, or only the others; both if left out.',
    ),
    include_deleted: described(booleanFilter(false), 'Soft-deleted locations too.'),
    q: described(
      searchText,
      'Locations that have this text in their name, external key, description or the value of a tag, whatever the case.',
      'dock',
    ),
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
