import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { READING_KINDS } from '../../tracking/reading-kind.ts';
import { namedBy, soughtKeys, storedKeys } from '../../tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';
import { tagsLike } from '../../tracking/tags-like.ts';
import { rowById, TABLES } from '../by-id-or-key.ts';
import type { NewTag, TagArrays } from './new-tag.ts';
import type { TagRow } from './stored-tags.ts';

export type Parent = 'asset' | 'location';

export const PARENT_COLUMN = { asset: sql.fragment`asset_id`, location: sql.fragment`location_id` };
/** What a tag measured last, of a row `newest`, as a member of its JSON. */
const READINGS = sql.fragment`', "readings" : {' || concat_ws(', ', ${sql.join(
  READING_KINDS.map((kind) => {
    const at = sql.identifier(['newest', `${kind}_at`]);
    return sql.fragment`case when ${at} is not null then ${sql.literalValue(`"${kind}" : {"value" : `)}
      || ${sql.identifier(['newest', kind])} || ', "observed_at" : "'
      || to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}' end`;
  }),
  sql.fragment`, `,
)}) || '}'`;

/** Of one `tag`; null for most. */
const READINGS_OF_TAG = sql.fragment`(
      select ${READINGS} from newest_readings newest where newest.org_id = tag.org_id and newest.tag_id = tag.id
    )`;

/** The text that `json_agg` and `json_build_object` make, in two thirds of their time. */
function tagList(readings: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`'[' || string_agg(
    '{"id" : ' || tag.id || ', "tag_type" : ' || to_json(tag.tag_type) || ', "value" : ' || to_json(tag.value)
      || coalesce(${readings}, '') || '}',
    ', ' order by tag.id) || ']'`;
}

const TAG_LIST = tagList(READINGS_OF_TAG);

/**
 * Live tags of a row, aggregated for `storedTags`, as a select-list item.
 *
 * @param row alias of a row with `org_id` and `id`.
 */
export function liveTags(parent: Parent, row: string): FragmentSqlToken {
  return sql.fragment`coalesce((
      select ${TAG_LIST} from tags tag
      where tag.org_id = ${sql.identifier([row, 'org_id'])}
        and tag.${PARENT_COLUMN[parent]} = ${sql.identifier([row, 'id'])} and tag.detached_at is null
    ), '[]') as tags`;
}

export const NO_TAGS = sql.fragment`'[]'`;

/**
 * Live tags of all rows of a query `page`, aggregated for `storedTags`. Found at once: row by row they took 200 us of
 * PostgreSQL's time for a page of 50, and take 100 so.
 */
export function tagsOfPage(parent: Parent, orgId: number): FragmentSqlToken {
  const column = PARENT_COLUMN[parent];
  return sql.fragment`with tag as materialized (
      select id, ${column}, tag_type, value from tags
      where org_id = ${orgId} and ${column} = any(array(select id from page)) and detached_at is null
      order by ${column}
    ), measured as materialized (
      select newest.tag_id, ${READINGS} as readings from newest_readings newest
      where newest.org_id = ${orgId} and newest.tag_id = any(array(select id from tag))
      order by newest.tag_id
    )
    select tag.${column}, ${tagList(sql.fragment`measured.readings`)} as tags
    from tag full join measured on measured.tag_id = tag.id
    group by tag.${column}`;
}

/** {@link liveTags}, or null if there are many; then no more than the limit are read. */
export function fewLiveTags(parent: Parent, row: string): FragmentSqlToken {
  return sql.fragment`(
      select case when count(*) <= ${MOST_OF_FEW} then coalesce(${TAG_LIST}, '[]') end
      from (
        select tag.org_id, tag.id, tag.tag_type, tag.value from tags tag
        where tag.org_id = ${sql.identifier([row, 'org_id'])}
          and tag.${PARENT_COLUMN[parent]} = ${sql.identifier([row, 'id'])} and tag.detached_at is null
        limit ${MOST_OF_FEW + 1}
      ) tag
    ) as tags`;
}

const MOST_OF_FEW = 200;

/** Live tags of an asset or a location: as many as may be given with a new one. */
export const MOST_TAGS = 10_000;

export async function attachTags(
  change: OrganizationChange,
  parent: Parent,
  parentId: number,
  tags: TagArrays,
): Promise<void> {
  await change.exec(sql.prepared(`attach-tags-to-${parent}`, NO_ROWS)`
    insert into tags (org_id, ${PARENT_COLUMN[parent]}, tag_type, value, tag_key, normal_key)
    select ${change.orgId}, ${parentId}, tag.tag_type, tag.value, tag.tag_key, nullif(tag.normal_key, '')
    from ${asRows(tags)}
    order by tag.ordinal`);
}

type KeyedTag = TagRow & { external_key: string };

/**
 * Attaches a tag to a live row, which then stays live until the transaction ends.
 *
 * @returns the tag; null if it is live already, there is no such live row, or it has {@link MOST_TAGS}.
 */
export function attachTag(
  change: OrganizationChange,
  parent: Parent,
  parentId: number,
  { tagType, value }: NewTag,
): Promise<KeyedTag | null> {
  const { orgId } = change;
  const { spelling, normal } = storedKeys(tagType, value);
  return change.maybeOne(sql.prepared(`attach-tag-to-${parent}`, rowsOf<KeyedTag>())`
    with parent as (
      select id, external_key from ${TABLES[parent]}
      where org_id = ${orgId} and id between ${parentId} and ${parentId} and deleted_at is null
        and not exists (select from tags where ${attachedTo(orgId, parent, parentId)} offset ${MOST_TAGS - 1} limit 1)
      order by id limit 1
      for key share
    ), attached as (
      insert into tags (org_id, ${PARENT_COLUMN[parent]}, tag_type, value, tag_key, normal_key)
      select ${orgId}, parent.id, tag.tag_type, tag.value, tag.tag_key, tag.normal_key
      from parent
      cross join (values (${tagType}, ${value}, ${spelling}, ${normal}::text)) tag (tag_type, value, tag_key, normal_key)
      left join lateral (${liveTag(orgId)}) live on true
      where live.value is null
      on conflict (org_id, tag_type, value) where detached_at is null do nothing
      returning id, tag_type, value
    )
    select attached.id, attached.tag_type, attached.value, parent.external_key from attached cross join parent`);
}

export async function hasMostTags(
  connection: OrganizationConnection,
  parent: Parent,
  parentId: number,
): Promise<boolean> {
  const last = await connection.any(sql.type(NO_ROWS)`
    select from tags where ${attachedTo(connection.orgId, parent, parentId)} offset ${MOST_TAGS - 1} limit 1`);
  return last.length > 0;
}

export interface PlacedTag {
  ordinal: number;
  tag_type: string;
  value: string;
}

export function firstTakenTag(
  connection: OrganizationConnection,
  tags: TagArrays,
): Promise<PlacedTag | null> {
  return connection.maybeOne(sql.prepared('first-taken-tag', rowsOf<PlacedTag>())`
    select tag.ordinal, live.tag_type, live.value
    from ${asRows(tags)}
    cross join lateral (${liveTag(connection.orgId)}) live
    order by tag.ordinal
    limit 1`);
}

/** A from clause named `tag`, with positions. */
export function asRows(tags: TagArrays): FragmentSqlToken {
  return sql.fragment`unnest(${tagArrays(tags)}) with ordinality as tag (tag_type, value, tag_key, normal_key, ordinal)`;
}

export function tagArrays({ types, values, spellings, normals }: TagArrays): FragmentSqlToken {
  return sql.fragment`${texts(types)}, ${texts(values)}, ${texts(spellings)}, ${texts(normals)}`;
}

function texts({ buffer, byteOffset, byteLength }: Uint8Array): FragmentSqlToken {
  return sql.fragment`${sql.binary(Buffer.from(buffer, byteOffset, byteLength))}::text[]`;
}

/**
 * The live tag with the type and value of `tag`. Ordered by value it is found by the index on values; without
 * statistics one with all tags of the organization seems as good: 12 s for 10,000 tags.
 */
export function liveTag(orgId: number): FragmentSqlToken {
  return sql.fragment`select tag_type, value from tags
    where org_id = ${orgId} and tag_type = tag.tag_type and value >= tag.value and value <= tag.value
      and detached_at is null
    order by value limit 1`;
}

/** Tags of a query as the change log keeps them, aggregated. @param tags rows with `id`, `tag_type` and `value`. */
export function loggedTags(tags: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`logged_value(coalesce(json_agg(
    json_build_object('tag_type', ${tags}.tag_type, 'value', ${tags}.value) order by ${tags}.id), '[]'))`;
}

export function detachTag(
  change: OrganizationChange,
  parent: Parent,
  parentId: number,
  tagId: number,
): Promise<KeyedTag | null> {
  const { orgId } = change;
  return change.maybeOne(sql.type(rowsOf<KeyedTag>())`
    update tags set detached_at = clock_timestamp()
    where org_id = ${orgId} and id = ${tagId}
      and ${PARENT_COLUMN[parent]} = ${parentId} and detached_at is null
    returning id, tag_type, value, (
      select parent.external_key from ${rowById(parent, orgId, parentId)} parent
    ) as external_key`);
}

/**
 * Runs `work`, which detaches all tags, in the organization's turn if they are many: detaching 10,000 keeps the database
 * busy for a while. The turn is awaited before `work` locks the parent: recorders of its scans wait for that lock, and
 * scans of other organizations wait for those recorders.
 */
export async function detachingAll<Result>(
  db: OrganizationConnection,
  parent: Parent,
  parentId: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const beyond = await db.any(sql.prepared(`has-many-tags-${parent}`, NO_ROWS)`
    select from tags where ${attachedTo(db.orgId, parent, parentId)} offset ${MOST_OF_FEW} limit 1`);
  return beyond.length > 0 ? expensiveTurns.run(db.orgId, 'rows', work, QUEUE) : work();
}

/** @returns JSON of them, as the change log keeps it. */
export async function detachAllTags(
  change: OrganizationChange,
  parent: Parent,
  parentId: number,
): Promise<string> {
  const { tags } = await change.one(sql.type(rowsOf<{ tags: string }>())`
    with detached as (
      update tags set detached_at = clock_timestamp()
      where ${attachedTo(change.orgId, parent, parentId)} returning id, tag_type, value
    )
    select ${loggedTags(sql.fragment`detached`)} as tags from detached`);
  return tags;
}

function attachedTo(orgId: number, parent: Parent, parentId: number): FragmentSqlToken {
  return sql.fragment`org_id = ${orgId} and ${PARENT_COLUMN[parent]} = ${parentId} and detached_at is null`;
}

/** Tags as a query names them: of any kind without a type. */
export interface NamedTags {
  tag_type?: TagType | undefined;
  tag_value?: readonly string[] | undefined;
}

/** The keys of tags that lists look for, as JSON: of `tag_value`, and of a `q` that names a thing by GS1's standards. */
export interface SoughtTags {
  tag_keys?: string | undefined;
  q_keys?: string | undefined;
}

export function soughtTags<Filters extends NamedTags & { q?: string | undefined }>({
  tag_type: type,
  tag_value: values,
  ...filters
}: Filters): Omit<Filters, keyof NamedTags> & SoughtTags {
  return {
    ...filters,
    tag_keys: values === undefined ? undefined : keysOfTags(values, type),
    q_keys: filters.q !== undefined && namesThing(filters.q) ? keysOfTags([filters.q]) : undefined,
  };
}

function namesThing(text: string): boolean {
  return TAG_TYPES.some((type) => namedBy(type, text) !== null);
}

export function keysOfTags(values: readonly string[], type?: TagType): string {
  const read = (type === undefined ? TAG_TYPES : [type]).flatMap((tagType) =>
    values.map((value) => ({ tagType, ...soughtKeys(tagType, value) })),
  );
  return JSON.stringify(read);
}

/** Rows with a live tag that a read with one of the keys would match; null if none are sought. */
export function hasSoughtTag(
  parent: Parent,
  orgId: number,
  { tag_keys: keys }: SoughtTags,
): FragmentSqlToken | null {
  return keys === undefined
    ? null
    : sql.fragment`${sql.identifier([parent, 'id'])} = any(array(${idsByKeys(parent, orgId, keys)}))`;
}

/** The ids of rows with a live tag that a read with one of the keys would match. */
export function idsByKeys(parent: Parent, orgId: number, keys: string): FragmentSqlToken {
  const column = sql.fragment`tag.${PARENT_COLUMN[parent]}`;
  const tags = tagsLike({
    orgId: sql.fragment`${orgId}`,
    tagType: sql.fragment`read."tagType"`,
    normal: sql.fragment`read.normal`,
    spelling: sql.fragment`read.spelling`,
    otherSpelling: sql.fragment`read."otherSpelling"`,
  });
  return sql.fragment`
    select distinct ${column} as id
    from jsonb_to_recordset(${keys}::text::jsonb)
      as read ("tagType" text, normal text, spelling text, "otherSpelling" text)
    cross join lateral (${tags}) tag
    where ${column} is not null`;
}
