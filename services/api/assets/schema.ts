import { externalKey, ID_SCHEMA, type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema, optional, refusedMember, unchanged } from '../../../base/checks/members.ts';
import {
  ASSET_COLUMNS,
  behindDescription,
  changeMembers,
  newMembers,
} from '../../../domain/master-data/columns.ts';
import type { AssetRow } from '../../../domain/master-data/rows.ts';
import { newTags } from '../../../domain/master-data/tags/new-tag.ts';
import { TAG } from '../../../domain/master-data/tags/stored-tags.ts';
import { STATES } from '../../../domain/presence/coverage/limits.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import { AFTER, EXCLUDED_BY_AFTER, PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  anyOf,
  booleanFilter,
  choiceFilter,
  described,
  idFilter,
  integer,
  keyFilter,
  microsBound,
  searchText,
  textsByName,
} from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { itemSchema, managedMembers, POSITION, positionInBrief, tagFilters } from '../items/item-schema.ts';

/** Contract 2.2. */
export const ASSET = itemSchema({
  title: 'Asset',
  description: 'A tracked physical thing. Every field is always present; unknown ones are null.',
  named: { plural: 'assets', minted: 'ASSET-0001' },
  columns: ASSET_COLUMNS,
  told: {
    metadata:
      'A JSON object of your own, kept as it is and replaced as a whole. No text in it has the character U+0000.',
  },
  where: {
    location_id: {
      ...nullableSchema(ID_SCHEMA),
      description: 'Its current location, from scans. Null if it was never seen at a location.',
    },
    location_external_key: {
      ...nullableSchema(KEY_SCHEMA),
      description: 'The external key of the same location. Null exactly when `location_id` is.',
    },
    position: POSITION,
  },
  example: {
    id: 17,
    external_key: 'PALLET-17',
    name: 'Euro pallet 17',
    description: null,
    location_id: 4,
    location_external_key: 'DOCK-1',
    position: null,
    is_active: true,
    valid_from: '2026-05-04T08:00:00.000Z',
    valid_to: null,
    metadata: { owner: 'Blue Line', max_load_kg: 1500 },
    tags: TAG['examples'],
    created_at: '2026-05-04T08:00:00.000Z',
    updated_at: '2026-05-04T08:00:00.000Z',
    deleted_at: null,
  },
});

export const RENAMED_ASSET: JsonSchema = {
  title: 'RenamedAsset',
  type: 'object',
  properties: {
    data: ASSET,
    descendant_count_affected: {
      type: 'integer',
      const: 0,
      description: 'Always 0: nothing is below an asset.',
    },
  },
  required: ['data', 'descendant_count_affected'],
};

const LOCATION_IS_READ_ONLY =
  'asset location is collected through scan event ingestion (fixed-reader MQTT pipeline or handheld UI submission) and is not directly settable through the public API';

/** What only scans write. */
export const SCANNED = {
  location_id: refusedMember(LOCATION_IS_READ_ONLY),
  location_external_key: refusedMember(LOCATION_IS_READ_ONLY),
  position: refusedMember(LOCATION_IS_READ_ONLY),
};

const NEW_ASSET = {
  external_key: optional(externalKey),
  ...behindDescription(newMembers(ASSET_COLUMNS), SCANNED),
  tags: optional(newTags),
};

export const newAssetBody = jsonBody(NEW_ASSET, {
  title: 'NewAsset',
  description: 'An asset to create. Only the name is required.',
  like: ASSET,
  example: {
    external_key: 'PALLET-17',
    name: 'Euro pallet 17',
    metadata: { owner: 'Blue Line', max_load_kg: 1500 },
    tags: [{ tag_type: 'rfid', value: 'E28011600000020912345678' }],
  },
});

const managed = managedMembers('assets', TAG);

const ASSET_PATCH = {
  id: managed.id,
  external_key: managed.external_key,
  ...behindDescription(changeMembers(ASSET_COLUMNS), {
    location_id: unchanged<AssetRow>(
      nullableSchema(ID_SCHEMA),
      LOCATION_IS_READ_ONLY,
      (value, asset) => value === asset.location_id,
    ),
    location_external_key: unchanged<AssetRow>(
      nullableSchema(KEY_SCHEMA),
      LOCATION_IS_READ_ONLY,
      (value, asset) => value === asset.location_external_key,
    ),
    position: unchanged<AssetRow>(
      POSITION,
      LOCATION_IS_READ_ONLY,
      (value, asset) =>
        value === positionInBrief(asset.position === null ? null : JSON.parse(asset.position)),
      positionInBrief,
    ),
  }),
  tags: managed.tags,
  created_at: managed.created_at,
  updated_at: managed.updated_at,
  deleted_at: managed.deleted_at,
};

export const ASSET_PATCH_EXAMPLE = {
  name: 'Euro pallet 17 (repaired)',
  description: 'New stringer, left side',
  valid_to: null,
};

export const assetPatchBody = mergePatchOf<AssetRow>()(ASSET_PATCH, {
  title: 'AssetPatch',
  description:
    'The changes, as a JSON Merge Patch. Read-only fields may be sent with their present value only.',
  like: ASSET,
  example: ASSET_PATCH_EXAMPLE,
});

const ASSET_SORT_FIELDS = ['external_key', 'name', 'created_at', 'updated_at'] as const;

const MOST_METADATA_FILTERS = 5;

/** Up to ten years. */
const SECONDS = { min: 1, max: 315_360_000 };

/** Contract 4.2. */
export const ASSET_LIST = {
  parameters: {
    external_key: described(anyOf(keyFilter), 'Assets with one of these keys.', ['PALLET-17', 'PALLET-18']),
    location_id: described(anyOf(idFilter), 'Assets that are at one of these locations now.', [4]),
    location_external_key: described(anyOf(keyFilter), 'Assets that are at one of these locations now.', [
      'DOCK-1',
    ]),
    include_descendants: described(
      booleanFilter(false),
      'Also assets at the locations below these. Without a location it has no effect.',
    ),
    state: described(
      anyOf(choiceFilter(STATES, undefined)),
      'Live assets that are in one of these states now (`reportPresence`). They are derived for all assets that the other filters leave, at most 50,000.',
      ['overdue', 'missing'],
    ),
    seen_within_seconds: described(
      integer(SECONDS, undefined),
      'Assets that were last seen at most this many seconds ago.',
      3600,
    ),
    unseen_for_seconds: described(
      integer(SECONDS, undefined),
      'Assets that were last seen more than this many seconds ago, or never.',
      86_400,
    ),
    ...tagFilters('Assets'),
    metadata: described(
      textsByName(MOST_METADATA_FILTERS),
      'As `metadata.<name>=<value>`: assets whose metadata has this field with this value: a text as it is, anything else as its JSON (`1500`, `true`). Only the first 500 fields of an asset are searched.',
      { 'metadata.owner': 'Blue Line' },
    ),
    is_active: described(
      booleanFilter(undefined),
      'Only active assets, or only the others; both if left out.',
    ),
    include_deleted: described(booleanFilter(false), 'Soft-deleted assets too.'),
    include_not_in_effect: described(
      booleanFilter(false),
      'Assets too that are not in effect: `valid_from` has not come yet, or `valid_to` has.',
    ),
    updated_since: described(
      microsBound,
      'Assets that changed at this time or later; with `include_deleted`, deleted ones too. Attaching and detaching tags does not count.',
      '2026-05-04T08:00:00Z',
    ),
    q: described(
      searchText,
      'Assets that have this text in their name, external key, description or the value of a tag, whatever the case; and those with a tag for what a GS1 key names, in any notation.',
      'pallet',
    ),
    sort: sortBy(ASSET_SORT_FIELDS, [{ field: 'external_key', isDescending: false }], 'metadata'),
    ...PAGING,
    ...AFTER,
  },
  exclusive: [['location_id', 'location_external_key'], ...EXCLUDED_BY_AFTER],
  needs: { tag_type: 'tag_value' },
} as const satisfies Query;
