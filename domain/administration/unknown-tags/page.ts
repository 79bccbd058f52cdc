import type { Page, Paging, SortTerm } from '../../../base/page.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { rowById } from '../../master-data/by-id-or-key.ts';
import { allOf, orderBy, when } from '../../master-data/clauses.ts';
import { tagKey } from '../../tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';
import { UNKNOWN_TAGS_KEPT } from '../../tracking/unknown-tags.ts';
import {
  ANTENNA_NAME,
  CANDIDATES,
  IS_UNRESOLVED,
  OWNERS,
  type Stored,
  TAGS_LIKE,
  type UnknownTagRow,
} from './queries.ts';

const SORT_COLUMNS = {
  last_seen_at: sql.fragment`unknown.last_seen`,
  first_seen_at: sql.fragment`unknown.first_seen`,
  count: sql.fragment`unknown.count`,
  rssi: sql.fragment`unknown.rssi`,
};

/** With what its location is called. */
export type NamedTagRow = UnknownTagRow & { location_name: string | null };

export type UnknownTagSort = keyof typeof SORT_COLUMNS;

export const UNKNOWN_TAG_SORTS = Object.keys(SORT_COLUMNS) as readonly UnknownTagSort[];

export interface UnknownTagFilters extends Paging {
  isIgnored: boolean;
  tagType?: TagType | undefined;
  readerId?: number | undefined;
  /** Part of a value, or a value in any spelling. */
  text?: string | undefined;
  /** Seen for the first time after this instant: RFC 3339, or `timestamptz` text. */
  firstSeenAfter?: string | undefined;
  sort: readonly SortTerm<UnknownTagSort>[];
}

/**
 * A page of unknown tags.
 *
 * Whether a tag was attached by other means since is looked up for the rows of the page and those before it only: the
 * first 50 of 10,000 take 0.2 ms by the time of the last read, which has an index, and 4 ms by strength, which is sorted
 * first. Asking of all rows took 34. The count has to ask of all, so it stops at as many as are kept: 20 ms.
 */
export async function listPageOfUnknownTags(
  connection: OrganizationConnection,
  { sort, limit, offset, ...filters }: UnknownTagFilters,
): Promise<Page<NamedTagRow> & { asOf: string }> {
  const wanted = isWanted(connection.orgId, filters);
  const order = orderBy(sort, SORT_COLUMNS, TIE, { nullable: ['rssi'] });
  const isIndexed = sort[0]?.field === 'last_seen_at';
  const source = isIndexed
    ? sql.fragment`unknown_tags unknown`
    : sql.fragment`(select * from unknown_tags unknown where ${wanted} order by ${order}) unknown`;
  const [rows, { total, as_of: asOf }] = await Promise.all([
    connection.any(sql.type(rowsOf<Stored & Pick<NamedTagRow, 'location_name'>>())`
      select unknown.tag_type, unknown.value, unknown.count, unknown.first_seen, unknown.last_seen, unknown.reader_id,
        unknown.antenna, ${ANTENNA_NAME} as antenna_name, unknown.rssi,
        location.external_key as location_external_key, location.name as location_name, unknown.candidates
      from (
        select unknown.*, candidates.tags as candidates from ${source}
        ${CANDIDATES}
        where ${wanted} and ${IS_UNRESOLVED}
        order by ${order} limit ${limit} offset ${offset}
      ) unknown
      left join ${rowById('location', connection.orgId, sql.fragment`unknown.location_id`)} location on true
      order by ${order}`),
    connection.one(sql.type(rowsOf<{ total: number; as_of: string }>())`
      select count(*) as total, now() as as_of from (
        select from unknown_tags unknown ${MATCHES} where ${wanted} and ${IS_UNRESOLVED} limit ${UNKNOWN_TAGS_KEPT}
      ) counted`),
  ]);
  return {
    totalCount: total,
    asOf,
    rows: rows.map(({ candidates, ...row }) => ({ ...row, candidates: JSON.parse(candidates) })),
  };
}

/** Up to `most`. */
export async function countUnknownTags(
  connection: OrganizationConnection,
  narrowing: Narrowing,
  most: number,
): Promise<number> {
  const { total } = await connection.one(sql.type(rowsOf<{ total: number }>())`
    select count(*) as total from (
      select from unknown_tags unknown ${MATCHES}
      where ${isWanted(connection.orgId, narrowing)} and ${IS_UNRESOLVED} limit ${most}
    ) counted`);
  return total;
}

const TIE = sql.fragment`unknown.tag_type, unknown.tag_key`;

/** The part of {@link CANDIDATES} that {@link IS_UNRESOLVED} needs, without names. */
const MATCHES = sql.fragment`cross join lateral (
    select ${OWNERS} as number,
      coalesce(bool_or(tag.tag_type = unknown.tag_type and tag.value = unknown.value), false) as has_exact
    from (${TAGS_LIKE}) tag
  ) candidates`;

type Narrowing = Omit<UnknownTagFilters, 'sort' | keyof Paging>;

function isWanted(
  orgId: number,
  { isIgnored, tagType, readerId, text, firstSeenAfter }: Narrowing,
): FragmentSqlToken {
  const conditions = allOf([
    sql.fragment`unknown.org_id = ${orgId}`,
    isIgnored ? sql.fragment`unknown.ignored_at is not null` : sql.fragment`unknown.ignored_at is null`,
    when(tagType, (type) => sql.fragment`unknown.tag_type = ${type}`),
    when(readerId, (id) => sql.fragment`unknown.reader_id = ${id}`),
    when(
      text,
      (part) => sql.fragment`(strpos(folded(unknown.value), folded(${part})) > 0
      or unknown.tag_key = any(${sql.array(keysOf(part), 'text')}))`,
    ),
    // Tags first seen after an instant were last seen after it: a range of the index.
    when(
      firstSeenAfter,
      (after) => sql.fragment`(unknown.last_seen > ${after}::timestamptz
      and unknown.first_seen > ${after}::timestamptz)`,
    ),
  ]);
  return sql.fragment`${conditions}`;
}

function keysOf(text: string): string[] {
  return [...new Set(TAG_TYPES.map((type) => tagKey(type, text)))];
}
