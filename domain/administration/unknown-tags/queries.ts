import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, type OrganizationChange, unchanged } from '../../changes/make-change.ts';
import { MOST_SPELLINGS } from '../../tracking/resolve-tags.ts';
import type { TagType } from '../../tracking/tag-type.ts';
import { tagsLike } from '../../tracking/tags-like.ts';

/** A tag that was read but is attached to nothing. Times are `timestamptz` text. */
export interface UnknownTagRow {
  tag_type: TagType;
  value: string;
  count: number;
  first_seen: string;
  last_seen: string;
  /** From the last read, as are the next three; null if a handheld made it. */
  reader_id: number | null;
  antenna: number | null;
  /** Of an antenna that has one. */
  antenna_name: string | null;
  rssi: number | null;
  location_external_key: string | null;
  /** Possible meanings of a read: tags that differ in spelling only; empty if nothing is similar. */
  candidates: Candidate[];
}

export interface Candidate {
  value: string;
  external_key: string;
}

/** Assets and locations with such a tag, each counted once; with too many spellings to tell (resolve-tags.ts) each tag counts. */
export const OWNERS = sql.fragment`case when count(*) > ${MOST_SPELLINGS} then count(*)
  else count(distinct (tag.asset_id, tag.location_id)) end`;

/** The live tags with the key of an `unknown` one. */
export const TAGS_LIKE = tagsLike({
  orgId: sql.fragment`unknown.org_id`,
  tagType: sql.fragment`unknown.tag_type`,
  normal: sql.fragment`unknown.tag_key`,
  spelling: sql.fragment`unknown.tag_key`,
  otherSpelling: sql.fragment`null::text`,
});

export const CANDIDATES = sql.fragment`cross join lateral (
    select ${OWNERS} as number, coalesce(bool_or(tag.tag_type = unknown.tag_type and tag.value = unknown.value), false) as has_exact,
      coalesce(json_agg(json_build_object(
        'value', tag.value, 'external_key', coalesce(asset.external_key, location.external_key)
      ) order by tag.id), '[]') as tags
    from (${TAGS_LIKE}) tag
    left join assets asset on asset.org_id = unknown.org_id and asset.id = tag.asset_id
    left join locations location on location.org_id = unknown.org_id and location.id = tag.location_id
  ) candidates`;

/** Of `unknown_tags unknown`. */
export const ANTENNA_NAME = sql.fragment`(
  select name from antennas
  where org_id = unknown.org_id and reader_id = unknown.reader_id and port = unknown.antenna)`;

/** Still unknown if read now: not attached by other means since. */
export const IS_UNRESOLVED = sql.fragment`not candidates.has_exact and candidates.number <> 1`;

export async function listUnknownTags(
  connection: OrganizationConnection,
  { isIgnored }: { isIgnored: boolean },
): Promise<UnknownTagRow[]> {
  const rows = await connection.any(sql.type(rowsOf<Stored>())`
    select unknown.tag_type, unknown.value, unknown.count, unknown.first_seen, unknown.last_seen, unknown.reader_id,
      unknown.antenna, ${ANTENNA_NAME} as antenna_name, unknown.rssi, location.external_key as location_external_key, candidates.tags as candidates
    from unknown_tags unknown
    ${CANDIDATES}
    left join locations location on location.org_id = unknown.org_id and location.id = unknown.location_id
    where unknown.org_id = ${connection.orgId} and ${IS_UNRESOLVED}
      and (unknown.ignored_at is not null) = ${isIgnored}
    order by unknown.last_seen desc, unknown.tag_type, unknown.tag_key`);
  return rows.map(({ candidates, ...row }) => ({ ...row, candidates: JSON.parse(candidates) }));
}

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

/** Hides a tag from the list, or shows it again. @returns its last spelling; null if there is no such tag. */
export async function setIgnored(
  db: OrganizationDatabase,
  actor: Actor,
  { tagType, tagKey, isIgnored }: { tagType: TagType; tagKey: string; isIgnored: boolean },
): Promise<string | null> {
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    const row = await change.maybeOne(sql.type(rowsOf<{ value: string; was_ignored: boolean }>())`
      with before as (
        select ignored_at from unknown_tags
        where org_id = ${orgId} and tag_type = ${tagType} and tag_key = ${tagKey} for update
      )
      update unknown_tags set ignored_at = case when ${isIgnored} then coalesce(ignored_at, now()) end
      where org_id = ${orgId} and tag_type = ${tagType} and tag_key = ${tagKey} and exists (select from before)
      returning value, (select ignored_at is not null from before) as was_ignored`);
    if (row === null || row.was_ignored === isIgnored) {
      return unchanged(row?.value ?? null);
    }
    const { value } = row;
    return changed(value, [
      {
        orgId,
        action: isIgnored ? 'ignore' : 'restore',
        resource: { type: 'unknown_tag', id: `${tagType}:${value}` },
        before: { ignored: !isIgnored },
        after: { ignored: isIgnored },
      },
    ]);
  });
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

export type Stored = Omit<UnknownTagRow, 'candidates'> & {
  candidates: string;
};
