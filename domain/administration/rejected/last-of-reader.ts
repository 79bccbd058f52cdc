import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { KEPT_COLUMNS, type KeptMessage, type KeptRow, toKept } from './kept-message.ts';

export type LastMessage = KeptMessage & { payload: Buffer };

/** The last rejected messages of a reader, newest first, with as much of each payload as is shown. */
export async function lastOfReader(
  db: Connection,
  { orgId, readerId }: { orgId: number; readerId: number },
  { limit, bytes }: { limit: number; bytes: number },
): Promise<LastMessage[]> {
  const rows = await db.any(sql.type(rowsOf<KeptRow & { payload: Buffer }>())`
    select ${KEPT_COLUMNS}, substring(payload for ${bytes}) as payload from rejected_messages
    where coalesce(org_id, 0) = ${orgId} and reader_id = ${readerId}
    order by id desc limit ${limit}`);
  return rows.map((row) => ({ ...toKept(row), payload: row.payload }));
}

/** How many of a reader are to be replayed, or dismissed. */
export async function countOpenOfReader(
  db: Connection,
  { orgId, readerId }: { orgId: number; readerId: number },
): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*)::integer as count from rejected_messages
    where coalesce(org_id, 0) = ${orgId} and reader_id = ${readerId} and replayed_at is null and dismissed_at is null`);
  return count;
}
