import type { Page } from '../../../base/page.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { pieces } from '../large-texts.ts';
import { MOST_TAGS, PARENT_COLUMN, type Parent } from './queries.ts';

/** Tags that are read at a time, a mebibyte at most; a single row may have more. */
const PIECE = 4_000;

export interface Counted {
  id: number;
  tag_count: number;
}

export type Tagged<Row> = Row & { tags: string };

/** How many tags a row has, for {@link withTags}. */
export function tagCount(orgId: number, parent: Parent, row: 'asset' | 'page' | 'found'): FragmentSqlToken {
  return sql.fragment`(
      select count(*) from (
        select from tags tag
        where tag.org_id = ${orgId} and tag.${PARENT_COLUMN[parent]} = ${sql.identifier([row, 'id'])}
          and tag.detached_at is null
        limit ${PIECE}
      ) each
    )::integer as tag_count`;
}

/**
 * A page with the tags of its rows: a thousand assets can have ten million, so what is beyond a piece is read when the piece
 * before it has been sent.
 *
 * @param write one of the later rows as JSON.
 */
export async function withTags<Row extends Counted>(
  db: OrganizationDatabase,
  parent: Parent,
  { rows, totalCount }: Page<Row>,
  write: (row: Tagged<Row>) => string,
): Promise<Page<Tagged<Row>>> {
  const [first = [], ...rest] = pieces(rows, (row) => row.tag_count, PIECE);
  const listing = db.listing({ isBrief: true, signal: undefined });
  async function* readLater() {
    for (const piece of rest) {
      yield Buffer.from((await readTags(listing, parent, piece)).map(write).join(','));
    }
  }
  return {
    rows: await readTags(listing, parent, first),
    totalCount,
    ...(rest.length === 0 ? {} : { later: readLater() }),
  };
}

/** @param most tags of each. */
export async function readTags<Row extends { id: number }>(
  db: OrganizationConnection,
  parent: Parent,
  rows: readonly Row[],
  most = MOST_TAGS,
): Promise<Tagged<Row>[]> {
  if (rows.length === 0) {
    return [];
  }
  const ids = rows.map(({ id }) => id);
  const found = await db.any(sql.type(rowsOf<{ id: number; tags: string }>())`
    select owner.id, ${tagsOf(db.orgId, parent, 'owner', most)} from unnest(${sql.array(ids, 'int4')}) as owner (id)`);
  const tags = new Map(found.map((each) => [each.id, each.tags]));
  return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? '[]' }));
}

/**
 * Live tags as scanning programs want them: kind and value, without ids.
 *
 * @param row alias of the rows that they are attached to.
 */
export function tagsOf(orgId: number, parent: Parent, row: string, most: number): FragmentSqlToken {
  return sql.fragment`coalesce((
      select json_agg(json_build_object('tag_type', tag.tag_type, 'value', tag.value) order by tag.id)
      from (
        select tag.id, tag.tag_type, tag.value from tags tag
        where tag.org_id = ${orgId} and tag.${PARENT_COLUMN[parent]} = ${sql.identifier([row, 'id'])}
          and tag.detached_at is null
        order by tag.id limit ${most}
      ) tag
    ), '[]') as tags`;
}
