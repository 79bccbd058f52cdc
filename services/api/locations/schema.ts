import { externalKey, ID_SCHEMA, id, type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { nullable, nullableSchema, optional } from '../../../base/checks/members.ts';
import {
  behindDescription,
  changeMembers,
  LOCATION_COLUMNS,
  newMembers,
} from '../../../domain/master-data/columns.ts';
import type { LocationRow } from '../../../domain/master-data/rows.ts';
import { newTags } from '../../../domain/master-data/tags/new-tag.ts';
import { TAG } from '../../../domain/master-data/tags/stored-tags.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import { AFTER, EXCLUDED_BY_AFTER, PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  anyOf,
  booleanFilter,
  described,
  idFilter,
  keyFilter,
  microsBound,
  searchText,
} from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { itemSchema, managedMembers, tagFilters } from '../items/item-schema.ts';

/** Contract 2.3. */
export const LOCATION = itemSchema({
  title: 'Location',
  description: 'A place where assets can be, in a tree of places.',
  named: { plural: 'locations', minted: 'LOC-0001' },
  columns: LOCATION_COLUMNS,
  told: {
    gln: 'Its GLN (GS1), and behind a point the extension if it has one: its name in EPCIS. Null for its address in this API.',
    biz_step:
      'The business step of EPCIS events here: a word of the core business vocabulary, such as `receiving`, or a URI. Null for none.',
    disposition: 'The disposition of things here, in the same way, such as `in_progress`.',
  },
  where: {
    parent_id: {
      ...nullableSchema(ID_SCHEMA),
      description: 'The location directly above it. Null at the root.',
    },
    parent_external_key: {
      ...nullableSchema(KEY_SCHEMA),
      description: 'The external key of the same parent. Write either of the two.',
    },
  },
  example: {
    id: 4,
    external_key: 'DOCK-1',
    name: 'Dock 1',
    description: 'South side, doors 1 to 4',
    parent_id: 1,
    parent_external_key: 'WAREHOUSE',
    is_active: true,
    valid_from: '2026-05-04T07:30:00.000Z',
    valid_to: null,
    gln: '4012345000115.987',
    biz_step: 'receiving',
    disposition: null,
    tags: [],
    created_at: '2026-05-04T07:30:00.000Z',
    updated_at: '2026-05-04T07:30:00.000Z',
    deleted_at: null,
  },
});

/** Contract 4.3. */
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

const PARENT = { parent_id: nullable(id), parent_external_key: nullable(externalKey) };

const NEW_LOCATION = {
  external_key: optional(externalKey),
  ...behindDescription(newMembers(LOCATION_COLUMNS), PARENT),
  tags: optional(newTags),
};

export const newLocationBody = jsonBody(NEW_LOCATION, {
  title: 'NewLocation',
  description: 'A location to create. Only the name is required; give at most one form of the parent.',
  like: LOCATION,
  example: {
    external_key: 'DOCK-1',
    name: 'Dock 1',
    description: 'South side, doors 1 to 4',
    parent_external_key: 'WAREHOUSE',
    gln: '4012345000115.987',
    biz_step: 'receiving',
  },
  exclusive: [['parent_id', 'parent_external_key']],
});

const managed = managedMembers('locations', TAG);

const LOCATION_PATCH = {
  id: managed.id,
  external_key: managed.external_key,
  ...behindDescription(changeMembers(LOCATION_COLUMNS), PARENT),
  tags: managed.tags,
  created_at: managed.created_at,
  updated_at: managed.updated_at,
  deleted_at: managed.deleted_at,
};

export const LOCATION_PATCH_EXAMPLE = { description: 'South side, doors 1 to 6', parent_id: 1 };

export const locationPatchBody = mergePatchOf<LocationRow>()(LOCATION_PATCH, {
  title: 'LocationPatch',
  description:
    'The changes, as a JSON Merge Patch. Null in either form of the parent makes the location a root. Read-only fields may be sent with their present value only.',
  like: LOCATION,
  example: LOCATION_PATCH_EXAMPLE,
  alike: [['parent_id', 'parent_external_key']],
});

const LOCATION_SORT_FIELDS = ['external_key', 'name', 'created_at', 'updated_at'] as const;

/** Contract 4.3. */
export const LOCATION_LIST = {
  parameters: {
    external_key: described(anyOf(keyFilter), 'Locations with one of these keys.', ['DOCK-1', 'DOCK-2']),
    id: described(idFilter, 'The location with this id; with `include_deleted`, even a deleted one.', 4),
    parent_id: described(idFilter, 'Locations directly below this one.', 1),
    parent_external_key: described(keyFilter, 'Locations directly below this one.', 'WAREHOUSE'),
    ...tagFilters('Locations'),
    is_active: described(
      booleanFilter(undefined),
      'Only active locations, or only the others; both if left out.',
    ),
    include_deleted: described(booleanFilter(false), 'Soft-deleted locations too.'),
    include_not_in_effect: described(
      booleanFilter(false),
      'Locations too that are not in effect: `valid_from` has not come yet, or `valid_to` has.',
    ),
    updated_since: described(
      microsBound,
      'Locations that changed at this time or later; with `include_deleted`, deleted ones too. Attaching and detaching tags does not count.',
      '2026-05-04T08:00:00Z',
    ),
    q: described(
      searchText,
      'Locations that have this text in their name, external key, description or the value of a tag, whatever the case; and those with a tag for what a GS1 key names, in any notation.',
      'dock',
    ),
    sort: sortBy(LOCATION_SORT_FIELDS, [{ field: 'external_key', isDescending: false }]),
    ...PAGING,
    ...AFTER,
  },
  exclusive: [['parent_id', 'parent_external_key'], ...EXCLUDED_BY_AFTER],
  needs: { tag_type: 'tag_value' },
} as const satisfies Query;

/** Fixed order; paging only (contract 4.3). */
export const TREE = {
  parameters: PAGING,
  unsupported: { sort: 'sort parameter not supported on this endpoint' },
} as const satisfies Query;
