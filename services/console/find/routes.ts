import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import {
  lastStays,
  type StayRow,
  searchWhereabouts,
  type WhereaboutsRow,
} from '../../../domain/master-data/assets/whereabouts.ts';
import { rowById } from '../../../domain/master-data/by-id-or-key.ts';
import { finding, IS_FOUND } from '../../../domain/master-data/locations/list.ts';
import { keysOfTags } from '../../../domain/master-data/tags/queries.ts';
import { readTags } from '../../../domain/master-data/tags/tagged-rows.ts';
import { searchText } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import {
  COUNT_SCHEMA,
  listOf,
  objectOf,
  REFERENCE,
  REFERENCE_OR_NULL,
  referenceOf,
  STAY,
  TAG_TYPE_SCHEMA,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

/** Per kind, assets and locations: people with more results type another letter. */
const MOST_FOUND = 25;
/** Of each asset. */
const MOST_TAGS_SHOWN = 100;

/** Places of each asset. */
const MOST_STAYS = 3;

const properties = (schema: JsonSchema) => schema['properties'] as Record<string, JsonSchema>;

const FOUND: JsonSchema = objectOf({
  assets: listOf(
    objectOf({
      ...properties(REFERENCE),
      last_seen: nullableSchema(TIME_SCHEMA),
      since: nullableSchema(TIME_SCHEMA),
      location: REFERENCE_OR_NULL,
      tags: listOf(objectOf({ tag_type: TAG_TYPE_SCHEMA, value: TEXT_SCHEMA })),
      stays: listOf(STAY),
    }),
  ),
  asset_count: COUNT_SCHEMA,
  locations: listOf(
    objectOf({ ...properties(REFERENCE), parent: REFERENCE_OR_NULL, assets_here: COUNT_SCHEMA }),
  ),
  location_count: COUNT_SCHEMA,
});

const FIND = { parameters: { q: searchText } } as const satisfies Query;

const find = memberRoute({
  ...{ method: 'GET', path: '/console/v1/find', operationId: 'find' },
  summary: 'Find an asset, key, tag or place',
  description: 'Tags in any spelling. What is named exactly comes first.',
  scope: 'tracking:read',
  query: FIND,
  success: found(FOUND, 'What was found'),
  handle: async ({ context: { db }, query: { q }, signal }) => {
    if (q === undefined) {
      return foundView({ rows: [], totalCount: 0 }, [], { rows: [], totalCount: 0 });
    }
    const page = { limit: MOST_FOUND, offset: 0 };
    const hangUp = signal();
    const [found, locations] = await Promise.all([
      searchWhereabouts(db, q, page, hangUp),
      findLocations(db, q, page, hangUp),
    ]);
    const listing = db.listing({ isBrief: true, signal: hangUp });
    const assets = { ...found, rows: await readTags(listing, 'asset', found.rows, MOST_TAGS_SHOWN) };
    const ids = assets.rows.map(({ id }) => id);
    return foundView(assets, ids.length === 0 ? [] : await lastStays(db, ids, MOST_STAYS), locations);
  },
});

export const findRoutes = [find];

/** @param stays of each asset the latest first. */
function foundView(
  assets: Page<WhereaboutsRow>,
  stays: readonly StayRow[],
  locations: Page<FoundLocationRow>,
) {
  const staysOf = Map.groupBy(stays, ({ asset_id: id }) => id);
  return {
    assets: assets.rows.map((row) => assetView(row, staysOf.get(row.id) ?? [])),
    asset_count: assets.totalCount,
    locations: locations.rows.map((row) => ({
      ...{ id: row.id, external_key: row.external_key, name: row.name },
      parent: referenceOf(row.parent_id, row.parent_external_key, row.parent_name),
      assets_here: row.assets_here,
    })),
    location_count: locations.totalCount,
  };
}

function assetView(row: WhereaboutsRow, stays: readonly StayRow[]) {
  return {
    ...{ id: row.id, external_key: row.external_key, name: row.name },
    last_seen: wireTimeOrNull(row.last_seen),
    since: wireTimeOrNull(row.since),
    location: referenceOf(row.location_id, row.location_external_key, row.location_name),
    tags: JSON.parse(row.tags),
    stays: stays.map(({ arrived_at, id, external_key, name }, index) => ({
      location: { id, external_key, name },
      arrived_at: wireTime(arrived_at),
      left_at: wireTimeOrNull(stays[index - 1]?.arrived_at ?? null),
    })),
  };
}

interface FoundLocationRow {
  id: number;
  external_key: string;
  name: string;
  parent_id: number | null;
  parent_external_key: string | null;
  parent_name: string | null;
  assets_here: number;
}

/** Live locations with the text in their name, key, description or a tag; one with that key or name comes first. */
async function findLocations(
  db: OrganizationDatabase,
  text: string,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<FoundLocationRow>> {
  const { orgId } = db;
  const rows = await db
    .listing({ isBrief: false, isWhole: true, signal })
    .any(sql.type(rowsOf<FoundLocationRow & { total_count: number }>())`
    ${finding(orgId, { q: text, q_keys: keysOfTags([text]) })},
    live as materialized (
      select location.id, location.external_key, location.name, location.parent_id,
        folded(${text}) in (folded(location.external_key), folded(location.name)) as is_exact
      from locations location
      where location.org_id = ${orgId} and location.deleted_at is null and ${IS_FOUND}
    ),
    page as materialized (
      select * from live order by is_exact desc, name, id limit ${limit} offset ${offset}
    )
    select total.total_count, page.id, page.external_key, page.name, page.parent_id,
      parent.external_key as parent_external_key, parent.name as parent_name, (
        select count(*) from positions
        where org_id = ${orgId} and location_id = page.id and not is_of_deleted
      ) as assets_here
    from (select count(*) as total_count from live) total
    left join page on true
    left join ${rowById('location', orgId, sql.fragment`page.parent_id`)} parent on true
    order by page.is_exact desc, page.name, page.id`);
  return pageOf(rows);
}
