import { invalid } from '../../../base/checks/issues.ts';
import { notFound } from '../../../base/errors.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { kindFound } from '../../../domain/tracking/kind-found.ts';
import { type Choice, chooseTag } from '../../../domain/tracking/resolve-tags.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { found, listed } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { referenceOf } from '../wire/reference.ts';
import { type ReadTag, usableTag } from '../wire/tag.ts';
import {
  type ExpectedRow,
  findLocation,
  findTags,
  type LocationRow,
  listExpected,
  listLocations,
  type TaggedRow,
} from './queries.ts';
import { EXPECTED, LOCATION, LOCATION_ID, PAGE_QUERY, PAGING, TAG_QUERY, TAGGED } from './schema.ts';

const tag = route({
  method: 'GET',
  path: '/handheld/v1/tags',
  operationId: 'findTag',
  summary: 'Find what is behind a tag',
  description:
    'The value is matched as a scan of it would be: a tag with the very value wins, else one with the same key.',
  scope: null,
  query: TAG_QUERY,
  params: {},
  success: found(TAGGED, 'The asset or the location'),
  problems: {
    not_found: 'No live tag matches, or those of several assets or locations do and none has the very value',
  },
  handle: async ({ context, query }) => {
    const read = usableTag(query, 'value');
    if (!read.ok) {
      throw invalid(read.issues);
    }
    const choice = await choose(context.db, read.value, query.guessed);
    if (choice.kind !== 'one') {
      const isAmbiguous = choice.kind === 'ambiguous';
      throw notFound(isAmbiguous ? 'Several tags match, and none has this very value' : 'Tag not found');
    }
    return taggedView(choice.tag);
  },
});

/** The tag of the kind that was asked for, or of the kind found in its place if the device guessed. */
async function choose(
  connection: OrganizationConnection,
  { tagType, value }: ReadTag,
  isGuessed: boolean,
): Promise<Choice<TaggedRow>> {
  const found = new Map<TagType, readonly TaggedRow[]>();
  for (const each of isGuessed ? TAG_TYPES : [tagType]) {
    found.set(each, await findTags(connection, { tagType: each, value }));
  }
  const kind = kindFound(tagType, (each) => (found.get(each)?.length ?? 0) > 0);
  return chooseTag(value, found.get(kind) ?? []);
}

const locations = route({
  method: 'GET',
  path: '/handheld/v1/locations',
  operationId: 'listLocations',
  summary: 'List the live locations',
  description: 'Depth first, siblings by external key, whatever the case; to choose from without a network.',
  scope: null,
  query: PAGE_QUERY,
  params: {},
  success: listed(LOCATION, 'A page of locations', {}, PAGING),
  handle: async ({ context, query, signal }) =>
    listBody(await listLocations(context.db, query, signal()), query, locationView),
});

const expected = route({
  method: 'GET',
  path: '/handheld/v1/locations/{location_id}/assets',
  operationId: 'listExpectedAssets',
  summary: 'List what should be at a location',
  description:
    'The live assets that were last seen there, not those below it, by external key: so that a sweep can tell found, missing and elsewhere.',
  scope: null,
  query: PAGE_QUERY,
  params: LOCATION_ID,
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => findLocation(context.db, params.location_id),
  },
  success: listed(EXPECTED, 'A page of assets', {}, PAGING),
  handle: async ({ context, query, row: id, signal }) =>
    listBody(await listExpected(context.db, id, query, signal()), query, expectedView),
});

export const lookUpRoutes = [tag, locations, expected];

function taggedView(row: TaggedRow) {
  const location = referenceOf(row.location_id, row.location_external_key, row.location_name);
  const asset = referenceOf(row.asset_id, row.asset_external_key, row.asset_name);
  return {
    tag_type: row.tag_type,
    value: row.value,
    asset: asset === null ? null : { ...asset, last_seen: wireTimeOrNull(row.last_seen), location },
    location: asset === null ? location : null,
  };
}

function locationView({ id, external_key, name, parent_id, tags }: LocationRow) {
  return { id, external_key, name, parent_id, tags: JSON.parse(tags) };
}

function expectedView({ id, external_key, name, last_seen, tags }: ExpectedRow) {
  return { id, external_key, name, last_seen: wireTime(last_seen), tags: JSON.parse(tags) };
}
