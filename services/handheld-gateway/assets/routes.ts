import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOfMicros, wireTimeOrNull } from '../../../base/timestamps.ts';
import {
  findWhereabouts,
  lastStays,
  listWhereabouts,
  type StayRow,
  searchWhereabouts,
  type WhereaboutsRow,
} from '../../../domain/master-data/assets/whereabouts.ts';
import { withTags } from '../../../domain/master-data/tags/tagged-rows.ts';
import { STATES } from '../../../domain/presence/coverage/limits.ts';
import type { PresenceRow } from '../../../domain/reports/presence/list-presence.ts';
import { presenceOfAssets } from '../../../domain/reports/presence/presence-of-asset.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { described, idInPath, searchText } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { found, listed } from '../../../platform/http/success.ts';
import { PAGING, TAGS, TAGS_EXAMPLE } from '../lookup/schema.ts';
import { route } from '../serving/context.ts';
import {
  ASSET_EXAMPLE,
  LOCATION_EXAMPLE,
  REFERENCE_PROPERTIES,
  referenceOf,
  referenceSchema,
} from '../wire/reference.ts';
import { listen } from './listen.ts';

/** How many places an asset's page names. */
const MOST_STAYS = 3;

const PROPERTIES = {
  ...REFERENCE_PROPERTIES,
  last_seen: { ...nullableSchema(TIME_SCHEMA), description: 'When a scan saw it last. Null for never.' },
  since: {
    ...nullableSchema(TIME_SCHEMA),
    description: 'Since when it has been where it is. Null if that is not known.',
  },
  location: referenceSchema('Where it is. Null if that is not known.', LOCATION_EXAMPLE),
  tags: TAGS,
};

const EXAMPLE = {
  ...ASSET_EXAMPLE,
  last_seen: '2026-05-04T07:59:59.370Z',
  since: '2026-05-03T16:20:00.000Z',
  location: LOCATION_EXAMPLE,
  tags: TAGS_EXAMPLE,
};

const STAY: JsonSchema = {
  title: 'Stay',
  description: 'A place where the asset was.',
  type: 'object',
  properties: {
    location: {
      ...referenceSchema('Where it was; the location may have been deleted since.', LOCATION_EXAMPLE),
      type: 'object',
    },
    arrived_at: { ...TIME_SCHEMA, description: 'When it was first seen there.' },
    left_at: {
      ...nullableSchema(TIME_SCHEMA),
      description: 'When it was first seen elsewhere. Null if it was not.',
    },
  },
  required: ['location', 'arrived_at', 'left_at'],
};

const PRESENCE_PROPERTIES = {
  state: {
    type: 'string',
    enum: STATES.filter((state) => state !== 'never_seen'),
    description:
      '`present`: read there recently enough. `overdue`: not read for longer than usual while readers listened. `missing`: overdue for long, or a sweep did not find it. `unknown`: not read, and no reader listened. More may be added.',
  },
  state_since: {
    ...nullableSchema(TIME_SCHEMA),
    description: 'Since when it is in that state. Null where that is not known.',
  },
  reader_name: {
    type: ['string', 'null'],
    description: 'Of `unknown`, the reader that does not listen. Null where there is none to name.',
  },
  is_by_sweep: { type: 'boolean', description: 'Of `missing`: a sweep did not find it.' },
};

const PRESENCE_EXAMPLE = {
  state: 'unknown',
  state_since: '2026-05-04T08:04:31.000Z',
  reader_name: 'dock 1',
  is_by_sweep: false,
};

const PRESENCE: JsonSchema = {
  type: ['object', 'null'],
  properties: PRESENCE_PROPERTIES,
  required: Object.keys(PRESENCE_PROPERTIES),
  description:
    'Whether it is still where it was seen last. Null where nothing can be said: never seen, or at a location that things only pass.',
  examples: [PRESENCE_EXAMPLE],
};

const ASSET: JsonSchema = {
  title: 'Asset',
  description: 'A live asset, and where it is; with `presence` if it was looked for (`q`).',
  type: 'object',
  properties: { ...PROPERTIES, presence: PRESENCE },
  required: Object.keys(PROPERTIES),
  examples: [EXAMPLE],
};

const STAYS_EXAMPLE = [{ location: LOCATION_EXAMPLE, arrived_at: EXAMPLE.since, left_at: null }];

const ASSET_PAGE: JsonSchema = {
  title: 'AssetPage',
  description: 'A live asset, where it is, and where it was before.',
  type: 'object',
  properties: {
    ...PROPERTIES,
    presence: PRESENCE,
    stays: {
      type: 'array',
      maxItems: MOST_STAYS,
      items: STAY,
      description: `The last ${MOST_STAYS} places where it was, the latest first.`,
      examples: [STAYS_EXAMPLE],
    },
  },
  required: [...Object.keys(PROPERTIES), 'presence', 'stays'],
  examples: [{ ...EXAMPLE, presence: PRESENCE_EXAMPLE, stays: STAYS_EXAMPLE }],
};

const ASSETS_QUERY = {
  parameters: {
    q: described(
      searchText,
      'Assets that have this text in their name, external key, description or the value of a tag, whatever the case; and those with a tag with this value in another spelling. Exact matches come first.',
      'forklift',
    ),
    ...PAGING,
  },
} as const satisfies Query;

const ASSET_ID = { asset_id: described(idInPath, 'Id of the asset.', 17) };

const list = route({
  method: 'GET',
  path: '/handheld/v1/assets',
  operationId: 'listHandheldAssets',
  summary: 'List or find live assets, and where they are',
  description: 'By external key, to find them without a network; or those that a person looks for (`q`).',
  scope: null,
  query: ASSETS_QUERY,
  success: listed(ASSET, 'A page of assets', {}, PAGING),
  problems: { unavailable: TOO_MANY_LARGE },
  handle: async ({ context: { db }, query: { q, ...paging }, signal }) => {
    const page = await (q === undefined
      ? listWhereabouts(db, paging, signal())
      : searchWhereabouts(db, q, paging, signal()));
    const found = q === undefined ? [] : page.rows.map(({ id }) => id);
    const presence =
      found.length === 0 ? new Map<number, PresenceRow>() : await presenceOfAssets(db, found, signal());
    const view = (row: WhereaboutsRow) =>
      q === undefined ? assetView(row) : { ...assetView(row), presence: presenceView(presence.get(row.id)) };
    return listBody(await withTags(db, 'asset', page, (row) => writeJson(view(row))), paging, view);
  },
});

const one = route({
  method: 'GET',
  path: '/handheld/v1/assets/{asset_id}',
  operationId: 'getHandheldAsset',
  summary: 'Look at an asset',
  description: 'Where it is, since when, whether it is still there, and its last places.',
  scope: null,
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findWhereabouts(context.db, params.asset_id),
  },
  success: found(ASSET_PAGE, 'The asset'),
  handle: async ({ context, row, signal }) => {
    const [stays, presence] = await Promise.all([
      lastStays(context.db, [row.id], MOST_STAYS),
      presenceOfAssets(context.db, [row.id], signal()),
    ]);
    return assetPageView(row, stays, presence.get(row.id));
  },
});

export const assetRoutes = [list, one, listen];

function assetView(row: WhereaboutsRow) {
  return {
    id: row.id,
    external_key: row.external_key,
    name: row.name,
    last_seen: wireTimeOrNull(row.last_seen),
    since: wireTimeOrNull(row.since),
    location: referenceOf(row.location_id, row.location_external_key, row.location_name),
    tags: JSON.parse(row.tags),
  };
}

/** @param stays the latest first. */
function assetPageView(row: WhereaboutsRow, stays: readonly StayRow[], presence: PresenceRow | undefined) {
  return {
    ...assetView(row),
    presence: presenceView(presence),
    stays: stays.map(({ arrived_at, id, external_key, name }, index) => ({
      location: { id, external_key, name },
      arrived_at: wireTime(arrived_at),
      left_at: wireTimeOrNull(stays[index - 1]?.arrived_at ?? null),
    })),
  };
}

/** Null where nothing can be said: never seen, or at a location that things only pass. */
function presenceView(row: PresenceRow | undefined) {
  if (row === undefined) {
    return null;
  }
  const { state, since, unseen, because } = row.presence;
  if (state === 'never_seen' || (state === 'present' && unseen === null)) {
    return null;
  }
  return {
    state,
    state_since: since === null ? null : wireTimeOfMicros(since),
    reader_name: row.readerName,
    is_by_sweep: because !== null && 'sweepId' in because,
  };
}
