import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { tagsOf } from '../../../domain/master-data/tags/tags-of.ts';
import { MOST_SPELLINGS } from '../../../domain/tracking/resolve-tags.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import type { Reference } from '../wire/reference.ts';
import type { ReadTag } from '../wire/tag.ts';

export interface TaggedRow {
  id: number;
  tag_type: string;
  value: string;
  asset_id: number | null;
  asset_external_key: string | null;
  asset_name: string | null;
  last_seen: string | null;
  location_id: number | null;
  location_external_key: string | null;
  location_name: string | null;
}

export function findTags(
  connection: OrganizationConnection,
  { tagType, value }: ReadTag,
): Promise<readonly TaggedRow[]> {
  return connection.any(sql.prepared('find-tags', rowsOf<TaggedRow>())`
    select tag.id, tag.tag_type, tag.value, asset.id as asset_id, asset.external_key as asset_external_key,
      asset.name as asset_name, position.last_seen, location.id as location_id,
      location.external_key as location_external_key, location.name as location_name
    from tags tag
    left join assets asset on asset.org_id = tag.org_id and asset.id = tag.asset_id
    left join positions position on position.org_id = tag.org_id and position.asset_id = tag.asset_id
    left join locations location on location.org_id = tag.org_id
      and location.id = coalesce(tag.location_id, position.location_id) and location.deleted_at is null
    where tag.org_id = ${connection.orgId} and tag.tag_type = ${tagType} and tag.tag_key = ${tagKey(tagType, value)}
      and tag.detached_at is null
    order by tag.value = ${value} desc, tag.id limit ${MOST_SPELLINGS + 1}`);
}

export interface LocationRow extends Reference {
  parent_id: number | null;
  tags: string;
}

/** A page of the live locations, depth first, siblings by external key, case-insensitively. */
export async function listLocations(
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
    select total.total_count, page.id, page.external_key, page.name, page.parent_id, ${tagsOf(orgId, 'location_id', 'page')}
    from (select count(*) as total_count from tree) total
    left join (select * from tree order by ordinal limit ${limit} offset ${offset}) page on true
    order by page.ordinal`);
  return pageOf(rows);
}

export async function findLocation(connection: OrganizationConnection, id: number): Promise<number | null> {
  const row = await connection.maybeOne(sql.prepared('find-handheld-location', rowsOf<{ id: number }>())`
    select id from locations where org_id = ${connection.orgId} and id = ${id} and deleted_at is null`);
  return row?.id ?? null;
}

export interface ExpectedRow extends Reference {
  last_seen: string;
  tags: string;
}

export async function listExpected(
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
    select total.total_count, found.id, found.external_key, found.name, found.last_seen, ${tagsOf(orgId, 'asset_id', 'found')}
    from (select count(*) as total_count from ${here}) total
    left join (
      select asset.id, asset.external_key, asset.name, position.last_seen from ${here}
      order by asset.external_key limit ${limit} offset ${offset}
    ) found on true
    order by found.external_key`);
  return pageOf(rows);
}
