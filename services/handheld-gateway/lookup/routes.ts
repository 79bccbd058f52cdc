import { invalid } from '../../../base/checks/issues.ts';
import { notFound } from '../../../base/errors.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import {
  type Counted,
  type Tagged,
  tagCount,
  withTags,
} from '../../../domain/master-data/tags/tagged-rows.ts';
import { kindFound } from '../../../domain/tracking/kind-found.ts';
import { type Choice, chooseTag, MOST_SPELLINGS } from '../../../domain/tracking/resolve-tags.ts';
import { soughtKeys } from '../../../domain/tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { tagsLike } from '../../../domain/tracking/tags-like.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { found, listed } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { type ReadTag, usableTag } from '../wire/fields.ts';
import { type Reference, referenceOf } from '../wire/reference.ts';
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
  success: found(TAGGED, 'The asset or the location'),
  problems: {
    not_found:
      'No live tag matches, or tags of several assets or locations match and none has the exact value',
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
  return chooseTag({ tagType: kind, value }, found.get(kind) ?? []);
}

const locations = route({
  method: 'GET',
  path: '/handheld/v1/locations',
  operationId: 'listLocations',
  summary: 'List the live locations',
  description: 'Depth first, siblings by external key, whatever the case; to choose from without a network.',
  scope: null,
  query: PAGE_QUERY,
  success: listed(LOCATION, 'A page of locations', {}, PAGING),
  problems: { unavailable: TOO_MANY_LARGE },
  handle: async ({ context: { db }, query, signal }) => {
    const page = await listLocations(db, query, signal());
    const write = (row: Tagged<LocationRow>) => writeJson(locationView(row));
    return listBody(await withTags(db, 'location', page, write), query, locationView);
  },
});

const expected = route({
  method: 'GET',
  path: '/handheld/v1/locations/{location_id}/assets',
  operationId: 'listExpectedAssets',
  summary: 'List what should be at a location',
  description:
    'The live assets last seen there (not below it), by external key, for a sweep to compare with.',
  scope: null,
  query: PAGE_QUERY,
  params: LOCATION_ID,
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => findLocation(context.db, params.location_id),
  },
  success: listed(EXPECTED, 'A page of assets', {}, PAGING),
  problems: { unavailable: TOO_MANY_LARGE },
  handle: async ({ context: { db }, query, row: id, signal }) => {
    const page = await listExpected(db, id, query, signal());
    const write = (row: Tagged<ExpectedRow>) => writeJson(expectedView(row));
    return listBody(await withTags(db, 'asset', page, write), query, expectedView);
  },
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

function locationView({ id, external_key, name, parent_id, tags }: Tagged<LocationRow>) {
  return { id, external_key, name, parent_id, tags: JSON.parse(tags) };
}

function expectedView({ id, external_key, name, last_seen, tags }: Tagged<ExpectedRow>) {
  return { id, external_key, name, last_seen: wireTime(last_seen), tags: JSON.parse(tags) };
}

interface TaggedRow {
  id: number;
  tag_type: TagType;
  value: string;
  asset_id: number | null;
  asset_external_key: string | null;
  asset_name: string | null;
  last_seen: string | null;
  location_id: number | null;
  location_external_key: string | null;
  location_name: string | null;
}

function findTags(
  connection: OrganizationConnection,
  { tagType, value }: ReadTag,
): Promise<readonly TaggedRow[]> {
  const keys = soughtKeys(tagType, value);
  const { orgId } = connection;
  return connection.any(sql.prepared('find-tags', rowsOf<TaggedRow>())`
    select tag.id, tag.tag_type, tag.value, asset.id as asset_id, asset.external_key as asset_external_key,
      asset.name as asset_name, position.last_seen, location.id as location_id,
      location.external_key as location_external_key, location.name as location_name
    from (${tagsLike({
      orgId: sql.fragment`${orgId}`,
      tagType: sql.fragment`${tagType}`,
      normal: sql.fragment`${keys.normal}::text`,
      spelling: sql.fragment`${keys.spelling}`,
      otherSpelling: sql.fragment`${keys.otherSpelling}::text`,
    })}) tag
    left join assets asset on asset.org_id = ${orgId} and asset.id = tag.asset_id
    left join positions position on position.org_id = ${orgId} and position.asset_id = tag.asset_id
    left join locations location on location.org_id = ${orgId}
      and location.id = coalesce(tag.location_id, position.location_id) and location.deleted_at is null
    order by tag.tag_type = ${tagType} and tag.value = ${value} desc, tag.id limit ${MOST_SPELLINGS + 1}`);
}

interface LocationRow extends Reference, Counted {
  parent_id: number | null;
}

/** A page of the live locations, depth first, siblings by external key, case-insensitively. */
async function listLocations(
  db: OrganizationDatabase,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<LocationRow>> {
  const { orgId } = db;
  const rows = await db
    .listing({ isBrief: true, signal })
    .any(sql.prepared('list-handheld-locations', rowsOf<LocationRow & { total_count: number }>())`
    with tree as materialized (
      select location.id, location.external_key, location.name, location.parent_id, below.place as ordinal
      from locations_below(${orgId}, null) below
      join locations location on location.org_id = ${orgId} and location.id = below.id
      where location.deleted_at is null
    )
    select total.total_count, page.id, page.external_key, page.name, page.parent_id, ${tagCount(orgId, 'location', 'page')}
    from (select count(*) as total_count from tree) total
    left join (select * from tree order by ordinal limit ${limit} offset ${offset}) page on true
    order by page.ordinal`);
  return pageOf(rows);
}

async function findLocation(connection: OrganizationConnection, id: number): Promise<number | null> {
  const row = await connection.maybeOne(sql.prepared('find-handheld-location', rowsOf<{ id: number }>())`
    select id from locations where org_id = ${connection.orgId} and id = ${id} and deleted_at is null`);
  return row?.id ?? null;
}

interface ExpectedRow extends Reference, Counted {
  last_seen: string;
}

async function listExpected(
  db: OrganizationDatabase,
  locationId: number,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<ExpectedRow>> {
  const { orgId } = db;
  const here = sql.fragment`positions position
    join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
    where position.org_id = ${orgId} and position.location_id = ${locationId} and not position.is_of_deleted`;
  const rows = await db
    .listing({ isBrief: true, signal })
    .any(sql.type(rowsOf<ExpectedRow & { total_count: number }>())`
    select total.total_count, found.id, found.external_key, found.name, found.last_seen, ${tagCount(orgId, 'asset', 'found')}
    from (select count(*) as total_count from ${here}) total
    left join (
      select asset.id, asset.external_key, asset.name, position.last_seen from ${here}
      order by asset.external_key limit ${limit} offset ${offset}
    ) found on true
    order by found.external_key`);
  return pageOf(rows);
}
