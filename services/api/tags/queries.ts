import type { FragmentSqlToken } from 'slonik';
import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { rowsOf } from '../../../db/timescale/row-queries.ts';
import { sql } from '../../../db/timescale/sql.ts';
import type { NewTag } from './schema.ts';
import type { TagRow } from './view.ts';

/** What tags are attached to. */
export type Parent = 'asset' | 'location';

export const PARENT_COLUMN = { asset: sql.fragment`asset_id`, location: sql.fragment`location_id` };
export const PARENT_TABLE = { asset: sql.fragment`assets`, location: sql.fragment`locations` };

/**
 * The live tags of a row, aggregated for `tagViews`, as a select-list item.
 *
 * @param row the row's alias in the query, with `org_id` and `id`.
 */
export function liveTags(parent: Parent, row: string): FragmentSqlToken {
  return sql.fragment`coalesce((
      select json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value) order by tag.id)
      from tags tag
      where tag.org_id = ${sql.identifier([row, 'org_id'])}
        and tag.${PARENT_COLUMN[parent]} = ${sql.identifier([row, 'id'])} and tag.detached_at is null
    ), '[]') as tags`;
}

/**
 * Attaches tags to a live row, which then stays live until the transaction ends. A pair that is live in the
 * organization, or is named twice, is attached once or not at all.
 *
 * @returns the tags that were attached; none if there is no such live row.
 */
export function attachTags(
  connection: OrganizationConnection,
  parent: Parent,
  parentId: number,
  tags: readonly NewTag[],
): Promise<readonly TagRow[]> {
  return connection.any(sql.type(rowsOf<TagRow>())`
    with parent as (
      select id from ${PARENT_TABLE[parent]}
      where org_id = ${connection.orgId} and id = ${parentId} and deleted_at is null
      for key share
    )
    insert into tags (org_id, ${PARENT_COLUMN[parent]}, tag_type, value, tag_key)
    select ${connection.orgId}, parent.id, tag.tag_type, tag.value, tag.tag_key
    from parent cross join ${asRows(tags)}
    left join lateral (${liveTag(connection.orgId)}) live on true
    where live.value is null
    order by tag.place
    on conflict (org_id, tag_type, value) where detached_at is null do nothing
    returning id, tag_type, value`);
}

/** Those of the tags that are live in the organization. */
export function takenTags(
  connection: OrganizationConnection,
  tags: readonly NewTag[],
): Promise<readonly { tag_type: string; value: string }[]> {
  return connection.any(sql.prepared('taken-tags', rowsOf<{ tag_type: string; value: string }>())`
    select live.tag_type, live.value
    from ${asRows(tags)}
    cross join lateral (${liveTag(connection.orgId)}) live`);
}

/** `tags` as rows of a from clause named `tag`, with their place in the list. */
function asRows(tags: readonly NewTag[]): FragmentSqlToken {
  const texts = (of: (tag: NewTag) => string) => sql.array(tags.map(of), 'text');
  return sql.fragment`unnest(
      ${texts(({ tagType }) => tagType)},
      ${texts(({ value }) => value)},
      ${texts(({ tagKey }) => tagKey)}
    ) with ordinality as tag (tag_type, value, tag_key, place)`;
}

/**
 * The live tag with the type and value of `tag`. Asked for in order of values it comes by the index on those; without
 * statistics one that has every tag of the organization to look through seems as good: 12 s for 10,000 tags.
 */
function liveTag(orgId: number): FragmentSqlToken {
  return sql.fragment`select tag_type, value from tags
    where org_id = ${orgId} and tag_type = tag.tag_type and value >= tag.value and value <= tag.value
      and detached_at is null
    order by value limit 1`;
}

/** Detaches one tag. Null if it is not attached to this row. */
export function detachTag(
  connection: OrganizationConnection,
  parent: Parent,
  parentId: number,
  tagId: number,
): Promise<{ id: number } | null> {
  return connection.maybeOne(sql.type(rowsOf<{ id: number }>())`
    update tags set detached_at = clock_timestamp()
    where org_id = ${connection.orgId} and id = ${tagId}
      and ${PARENT_COLUMN[parent]} = ${parentId} and detached_at is null
    returning id`);
}

/** Detaches all tags of a row. */
export async function detachAllTags(
  connection: OrganizationConnection,
  parent: Parent,
  parentId: number,
): Promise<void> {
  await connection.query(sql.type(rowsOf<never>())`
    update tags set detached_at = clock_timestamp()
    where org_id = ${connection.orgId} and ${PARENT_COLUMN[parent]} = ${parentId} and detached_at is null`);
}
