import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import type { TagType } from '../../tracking/tag-type.ts';

/** A tag that was read and stands for nothing. Times are the text of a `timestamptz`. */
export interface UnknownTagRow {
  tag_type: TagType;
  /** As it was last read. */
  value: string;
  count: number;
  first_seen: string;
  last_seen: string;
  /** Of the last read, as are the four below; null if a handheld made it. */
  reader_id: number | null;
  antenna: number | null;
  rssi: number | null;
  location_external_key: string | null;
  /** What reads of it may mean: several tags that differ from it in spelling only; none if it is quite unknown. */
  candidates: Candidate[];
}

export interface Candidate {
  value: string;
  /** Of the asset or location that it is attached to. */
  external_key: string;
}

/** The tags that are attached now and have the key of an `unknown` tag. */
const CANDIDATES = sql.fragment`cross join lateral (
    select count(*) as number, coalesce(bool_or(tag.value = unknown.value), false) as has_exact,
      coalesce(json_agg(json_build_object(
        'value', tag.value, 'external_key', coalesce(asset.external_key, location.external_key)
      ) order by tag.id), '[]') as tags
    from tags tag
    left join assets asset on asset.org_id = tag.org_id and asset.id = tag.asset_id
    left join locations location on location.org_id = tag.org_id and location.id = tag.location_id
    where tag.org_id = unknown.org_id and tag.tag_type = unknown.tag_type and tag.tag_key = unknown.tag_key
      and tag.detached_at is null
  ) candidates`;

/** Those that would be unknown still if they were read now: not one that was attached by other means since. */
const IS_UNRESOLVED = sql.fragment`not candidates.has_exact and candidates.number <> 1`;

/** The organization's unknown tags, those that are ignored or the others, the last seen first. */
export async function listUnknownTags(
  connection: OrganizationConnection,
  { isIgnored }: { isIgnored: boolean },
): Promise<UnknownTagRow[]> {
  const rows = await connection.any(sql.type(rowsOf<Stored>())`
    select unknown.tag_type, unknown.value, unknown.count, unknown.first_seen, unknown.last_seen, unknown.reader_id,
      unknown.antenna, unknown.rssi, place.external_key as location_external_key, candidates.tags as candidates
    from unknown_tags unknown
    ${CANDIDATES}
    left join locations place on place.org_id = unknown.org_id and place.id = unknown.location_id
    where unknown.org_id = ${connection.orgId} and ${IS_UNRESOLVED}
      and (unknown.ignored_at is not null) = ${isIgnored}
    order by unknown.last_seen desc, unknown.tag_type, unknown.tag_key`);
  return rows.map(({ candidates, ...row }) => ({ ...row, candidates: JSON.parse(candidates) }));
}

/** What is listed of a tag; null if it is not on the list. */
export async function findUnknownTag(
  transaction: OrganizationConnection,
  tagType: TagType,
  tagKey: string,
): Promise<Pick<UnknownTagRow, 'value' | 'candidates'> | null> {
  const row = await transaction.maybeOne(sql.type(rowsOf<Pick<Stored, 'value' | 'candidates'>>())`
    select unknown.value, candidates.tags as candidates
    from unknown_tags unknown
    ${CANDIDATES}
    where unknown.org_id = ${transaction.orgId} and unknown.tag_type = ${tagType} and unknown.tag_key = ${tagKey}
      and ${IS_UNRESOLVED}`);
  return row === null ? null : { value: row.value, candidates: JSON.parse(row.candidates) };
}

/** Has a tag on the list no more, or again. @returns its value as it was last read; null if there is no such tag. */
export async function setIgnored(
  db: OrganizationDatabase,
  actor: Actor,
  { tagType, tagKey, isIgnored }: { tagType: TagType; tagKey: string; isIgnored: boolean },
): Promise<string | null> {
  const row = await makeChange(db, actor, (change) =>
    change.maybeOne(sql.type(rowsOf<{ value: string }>())`
      update unknown_tags set ignored_at = case when ${isIgnored} then coalesce(ignored_at, now()) end
      where org_id = ${change.orgId} and tag_type = ${tagType} and tag_key = ${tagKey}
      returning value`),
  );
  return row?.value ?? null;
}

export async function removeUnknownTag(
  change: OrganizationChange,
  tagType: TagType,
  tagKey: string,
): Promise<void> {
  await change.exec(sql.type(NO_ROWS)`
    delete from unknown_tags
    where org_id = ${change.orgId} and tag_type = ${tagType} and tag_key = ${tagKey}`);
}

type Stored = Omit<UnknownTagRow, 'candidates'> & {
  /** JSON text. */
  candidates: string;
};
