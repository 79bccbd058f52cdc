import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** A near miss was ignored, and holds something like a tag. */
export const KEPT_KINDS = ['rejected', 'near_miss'] as const;

export type KeptKind = (typeof KEPT_KINDS)[number];

/** A stored rejected message (docs/tracking.md rule 6). Times are `timestamptz` text. */
export interface KeptMessage {
  id: number;
  /** Null if no reader has the topic; so is the reader's id. */
  orgId: number | null;
  readerId: number | null;
  topic: string;
  reason: string;
  receivedAt: string;
  bytes: number;
  /** Set when it was replayed without any rejection. */
  replayedAt: string | null;
  dismissedAt: string | null;
  kind: KeptKind;
}

export interface KeptPayload {
  payload: Buffer;
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
  kind: KeptKind;
}

export const KEPT_COLUMNS = sql.fragment`id, org_id, reader_id, topic, reason, received_at, bytes, replayed_at,
  dismissed_at, kind`;

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
    kind: row.kind,
  };
}

/**
 * Stored rejected messages, either dismissed or open, in order of storage.
 *
 * @param orgId null for all messages, including those without an organization.
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

export async function findKept(db: Connection, id: number): Promise<(KeptMessage & KeptPayload) | null> {
  const row = await db.maybeOne(sql.type(rowsOf<KeptRow & { payload: Buffer; payload_sha256: Buffer }>())`
    select ${KEPT_COLUMNS}, payload, payload_sha256 from rejected_messages where id = ${id}`);
  return row && { ...toKept(row), payload: row.payload, payloadSha256: row.payload_sha256 };
}

/**
 * Ids of messages neither replayed nor dismissed, oldest first. @param orgId null for all messages, including
 * those without an organization.
 */
export async function idsToReplay(db: Connection, orgId: number | null): Promise<number[]> {
  const ofOne = orgId === null ? sql.fragment`` : sql.fragment`and org_id = ${orgId}`;
  const rows = await db.any(sql.type(rowsOf<{ id: number }>())`
    select id from rejected_messages
    where replayed_at is null and dismissed_at is null ${ofOne}
    order by received_at, id`);
  return rows.map(({ id }) => id);
}

type LastMessage = KeptMessage & { payload: Buffer };

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
