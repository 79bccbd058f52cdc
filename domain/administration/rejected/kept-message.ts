import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** A rejected message as it is kept (tracking.md rule 6). Times are the text of a `timestamptz`. */
export interface KeptMessage {
  id: number;
  /** Null, like the reader's, where no reader has the topic. */
  orgId: number | null;
  readerId: number | null;
  topic: string;
  reason: string;
  receivedAt: string;
  /** Of the payload as it was received. */
  bytes: number;
  /** When it was replayed and nothing of it was rejected again. */
  replayedAt: string | null;
  /** When somebody wanted to see it no more. */
  dismissedAt: string | null;
}

export interface KeptPayload {
  /** The beginning of it, or all of it. */
  payload: Buffer;
  /** Of all of it. */
  payloadSha256: Buffer;
}

export interface KeptRow {
  id: number;
  org_id: number | null;
  reader_id: number | null;
  topic: string;
  reason: string;
  received_at: string;
  bytes: number;
  replayed_at: string | null;
  dismissed_at: string | null;
}

/** Of `rejected_messages`. */
export const KEPT_COLUMNS = sql.fragment`id, org_id, reader_id, topic, reason, received_at, bytes, replayed_at,
  dismissed_at`;

export function toKept(row: KeptRow): KeptMessage {
  return {
    id: row.id,
    orgId: row.org_id,
    readerId: row.reader_id,
    topic: row.topic,
    reason: row.reason,
    receivedAt: row.received_at,
    bytes: row.bytes,
    replayedAt: row.replayed_at,
    dismissedAt: row.dismissed_at,
  };
}

/**
 * The rejected messages that are kept, in the order they were kept in: those that were dismissed, or the others.
 *
 * @param orgId null for those of all and of none.
 */
export async function listKept(
  db: Connection,
  orgId: number | null,
  { isDismissed }: { isDismissed: boolean } = { isDismissed: false },
): Promise<KeptMessage[]> {
  const rows = await db.any(sql.type(rowsOf<KeptRow>())`
    select ${KEPT_COLUMNS} from rejected_messages
    where (${orgId}::integer is null or org_id = ${orgId}::integer) and (dismissed_at is not null) = ${isDismissed}
    order by id`);
  return rows.map(toKept);
}

/** Null if there is none of this id (any more). */
export async function findKept(db: Connection, id: number): Promise<(KeptMessage & KeptPayload) | null> {
  const row = await db.maybeOne(sql.type(rowsOf<KeptRow & { payload: Buffer; payload_sha256: Buffer }>())`
    select ${KEPT_COLUMNS}, payload, payload_sha256 from rejected_messages where id = ${id}`);
  return row && { ...toKept(row), payload: row.payload, payloadSha256: row.payload_sha256 };
}

/** Ids of those that were neither replayed yet nor dismissed, the first received first. @param orgId null for those of all and of none. */
export async function idsToReplay(db: Connection, orgId: number | null): Promise<number[]> {
  const rows = await db.any(sql.type(rowsOf<{ id: number }>())`
    select id from rejected_messages
    where replayed_at is null and dismissed_at is null and (${orgId}::integer is null or org_id = ${orgId}::integer)
    order by received_at, id`);
  return rows.map(({ id }) => id);
}
