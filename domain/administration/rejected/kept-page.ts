import type { Page, Paging } from '../../../base/page.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { allOf, when } from '../../master-data/clauses.ts';
import { KEPT_COLUMNS, type KeptKind, type KeptMessage, type KeptRow, toKept } from './kept-message.ts';

/** Open: neither replayed nor dismissed. */
export const KEPT_STATES = ['open', 'replayed', 'dismissed'] as const;

export type KeptState = (typeof KEPT_STATES)[number];

export interface KeptFilters {
  state: KeptState;
  kind?: KeptKind | undefined;
  readerId?: number | undefined;
  /** Part of the topic or the reason. */
  text?: string | undefined;
  /** Kept after this one. */
  afterId?: number | undefined;
}

/**
 * A page of an organization's messages, newest first, without their payloads. The open ones have an index of their own,
 * which the count reads alone.
 */
export async function listPageOfKept(
  db: Connection,
  orgId: number,
  { limit, offset, ...filters }: KeptFilters & Paging,
): Promise<Page<KeptMessage>> {
  const wanted = isWanted(orgId, filters);
  const [rows, { total }] = await Promise.all([
    db.any(sql.type(rowsOf<KeptRow>())`
      select ${KEPT_COLUMNS} from rejected_messages
      where ${wanted} order by id desc limit ${limit} offset ${offset}`),
    db.one(sql.type(rowsOf<{ total: number }>())`
      select count(*) as total from rejected_messages where ${wanted}`),
  ]);
  return { totalCount: total, rows: rows.map(toKept) };
}

/** How many are open, up to `most`. */
export async function countOpenKept(db: Connection, orgId: number, most: number): Promise<number> {
  const { total } = await db.one(sql.type(rowsOf<{ total: number }>())`
    select count(*) as total from (
      select from rejected_messages where ${isWanted(orgId, { state: 'open' })} limit ${most}
    ) counted`);
  return total;
}

/** Ids of an organization's messages, in order of storage; of `ids` only, if they are given. */
export async function idsOfKept(
  db: Connection,
  orgId: number,
  { ids, limit, ...filters }: KeptFilters & { ids?: readonly number[] | undefined; limit: number },
): Promise<number[]> {
  const ofThese = ids === undefined ? sql.fragment`` : sql.fragment`and id = any(${sql.array(ids, 'int8')})`;
  const rows = await db.any(sql.type(rowsOf<{ id: number }>())`
    select id from rejected_messages where ${isWanted(orgId, filters)} ${ofThese} order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}

function isWanted(orgId: number, { state, kind, readerId, text, afterId }: KeptFilters): FragmentSqlToken {
  const conditions = allOf([
    // Each has its index.
    state === 'open' ? sql.fragment`org_id = ${orgId}` : sql.fragment`coalesce(org_id, 0) = ${orgId}`,
    IN_STATE[state],
    when(kind, (of) => sql.fragment`kind = ${of}`),
    when(readerId, (id) => sql.fragment`reader_id = ${id}`),
    when(
      text,
      (part) =>
        sql.fragment`(strpos(folded(topic), folded(${part})) > 0 or strpos(folded(reason), folded(${part})) > 0)`,
    ),
    when(afterId, (id) => sql.fragment`id > ${id}`),
  ]);
  return sql.fragment`${conditions}`;
}

const IN_STATE: Record<KeptState, FragmentSqlToken> = {
  open: sql.fragment`(replayed_at is null and dismissed_at is null)`,
  replayed: sql.fragment`(replayed_at is not null and dismissed_at is null)`,
  dismissed: sql.fragment`(dismissed_at is not null)`,
};
