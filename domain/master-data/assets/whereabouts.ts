import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { positionOf, rowById } from '../by-id-or-key.ts';
import { countLive } from '../live-count.ts';
import { idsByKeys, keysOfTags, MOST_TAGS } from '../tags/queries.ts';
import { type Counted, tagCount, tagsOf } from '../tags/tagged-rows.ts';
import { matched } from './list.ts';

/** A live asset, and where it is. */
export interface WhereaboutsRow {
  id: number;
  external_key: string;
  name: string;
  last_seen: string | null;
  since: string | null;
  location_id: number | null;
  location_external_key: string | null;
  location_name: string | null;
  tags: string;
}

/** Its tags are read by `withTags`. */
export type CountedWhereabouts = Omit<WhereaboutsRow, 'tags'> & Counted;

const COLUMNS = sql.fragment`asset.id, asset.external_key, asset.name, position.last_seen, position.since,
      location.id as location_id, location.external_key as location_external_key, location.name as location_name`;

function whereItIs(orgId: number): FragmentSqlToken {
  return sql.fragment`left join ${positionOf('asset')} on true
    left join ${rowById('location', orgId, sql.fragment`position.location_id`, { live: true })} location on true`;
}

/** A page of the live assets, by external key. */
export async function listWhereabouts(
  db: OrganizationDatabase,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<CountedWhereabouts>> {
  const { orgId } = db;
  const rows = await db
    .listing({ isBrief: true, signal })
    .any(sql.type(rowsOf<CountedWhereabouts & { total_count: number }>())`
    with page as materialized (
      select asset.org_id, asset.id, asset.external_key, asset.name from assets asset
      where asset.org_id = ${orgId} and asset.deleted_at is null
      order by asset.external_key limit ${limit} offset ${offset}
    )
    select total.total_count, ${COLUMNS}, ${tagCount(orgId, 'asset', 'asset')}
    from (${countLive(orgId, 'asset', undefined)}) total
    left join page asset on true
    ${whereItIs(orgId)}
    order by asset.external_key`);
  return pageOf(rows);
}

/**
 * A page of live assets for a person's search: those with the text in name, key, description or a tag, and those with
 * the tag in another spelling; exact matches first. It may read much, so it takes its organization's turn on separate
 * connections (`listing`).
 */
export async function searchWhereabouts(
  db: OrganizationDatabase,
  text: string,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<CountedWhereabouts>> {
  const { orgId } = db;
  const keys = keysOfTags([text]);
  const live = { include_not_in_effect: true, include_deleted: false };
  const rows = await db
    .listing({ isBrief: false, isWhole: true, signal })
    .any(sql.type(rowsOf<CountedWhereabouts & { total_count: number }>())`
    with ${matched(orgId, { q: text, q_keys: keys }, live, [])},
    tagged as materialized (
      ${idsByKeys('asset', orgId, keys)}
    ),
    page as materialized (
      select matched.id, matched.external_key,
        matched.id in (select id from tagged) or folded(matched.external_key) = folded(${text}) as is_exact
      from matched
      order by is_exact desc, matched.external_key limit ${limit} offset ${offset}
    )
    select total.total_count, ${COLUMNS}, ${tagCount(orgId, 'asset', 'asset')}
    from (select count(*) as total_count from matched) total
    left join page on true
    left join ${rowById('asset', orgId, sql.fragment`page.id`)} asset on true
    ${whereItIs(orgId)}
    order by page.is_exact desc, page.external_key`);
  return pageOf(rows);
}

export function findWhereabouts(
  connection: OrganizationConnection,
  id: number,
): Promise<WhereaboutsRow | null> {
  const { orgId } = connection;
  return connection.maybeOne(sql.prepared('find-whereabouts', rowsOf<WhereaboutsRow>())`
    select ${COLUMNS}, ${tagsOf(orgId, 'asset', 'asset', MOST_TAGS)}
    from ${rowById('asset', orgId, id, { live: true })} asset
    ${whereItIs(orgId)}`);
}

export interface StayRow {
  asset_id: number;
  arrived_at: string;
  id: number;
  external_key: string;
  name: string;
}

/** The last places of each asset, latest first, including deleted ones. */
export function lastStays(
  connection: OrganizationConnection,
  assetIds: readonly number[],
  most: number,
): Promise<readonly StayRow[]> {
  return connection.any(sql.prepared('last-stays', rowsOf<StayRow>())`
    select asked.asset_id, stay.observed_at as arrived_at, location.id, location.external_key, location.name
    from unnest(${sql.binary(integers(assetIds))}::integer[]) asked (asset_id)
    cross join lateral (
      select observed_at, location_id from location_transitions
      where org_id = ${connection.orgId} and asset_id = asked.asset_id
      order by observed_at desc limit ${most}
    ) stay
    cross join ${rowById('location', connection.orgId, sql.fragment`stay.location_id`)} location
    order by asked.asset_id, stay.observed_at desc`);
}
