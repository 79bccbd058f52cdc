import type { Page } from '../../../base/page.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { MOST_TAGS } from './queries.ts';
import { tagsOf } from './tags-of.ts';

/** Tags that are read at a time, a mebibyte at most; a single row may have more. */
const PIECE = 4_000;

export interface Counted {
  id: number;
  tag_count: number;
}

export type Tagged<Row> = Row & { tags: string };

/** How many tags a row has, for {@link withTags}. */
export function tagCount(
  orgId: number,
  column: 'asset_id' | 'location_id',
  row: 'asset' | 'page' | 'found',
): FragmentSqlToken {
  return sql.fragment`(
      select count(*) from (
        select from tags tag
        where tag.org_id = ${orgId} and tag.${sql.identifier([column])} = ${sql.identifier([row, 'id'])}
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
  column: 'asset_id' | 'location_id',
  { rows, totalCount }: Page<Row>,
  write: (row: Tagged<Row>) => string,
): Promise<Page<Tagged<Row>>> {
  const [first = [], ...rest] = pieces(rows);
  const listing = db.listing({ isBrief: true, signal: undefined });
  async function* readLater() {
    for (const piece of rest) {
      yield Buffer.from((await readTags(listing, column, piece)).map(write).join(','));
    }
  }
  return {
    rows: await readTags(listing, column, first),
    totalCount,
    ...(rest.length === 0 ? {} : { later: readLater() }),
  };
}

/** @param most tags of each. */
export async function readTags<Row extends { id: number }>(
  db: OrganizationConnection,
  column: 'asset_id' | 'location_id',
  rows: readonly Row[],
  most = MOST_TAGS,
): Promise<Tagged<Row>[]> {
  if (rows.length === 0) {
    return [];
  }
  const ids = rows.map(({ id }) => id);
  const found = await db.any(sql.type(rowsOf<{ id: number; tags: string }>())`
    select owner.id, ${tagsOf(db.orgId, column, 'owner', most)} from unnest(${sql.array(ids, 'int4')}) as owner (id)`);
  const tags = new Map(found.map((each) => [each.id, each.tags]));
  return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? '[]' }));
}

function pieces<Row extends Counted>(rows: readonly Row[]): Row[][] {
  const all: Row[][] = [];
  let room = 0;
  for (const row of rows) {
    room -= row.tag_count;
    if (room < 0 || all.length === 0) {
      all.push([]);
      room = PIECE - row.tag_count;
    }
    all.at(-1)?.push(row);
  }
  return all;
}
