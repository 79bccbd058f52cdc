import type { Pool } from '../../../db/timescale/connections/client.ts';

/** A rejected message as it is kept (tracking rule 6). Times are the text of a `timestamptz`. */
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

/** As the select list of a query of `rejected_messages`. */
export const KEPT_COLUMNS = `id, org_id as "orgId", reader_id as "readerId", topic, reason,
  received_at as "receivedAt", bytes, replayed_at as "replayedAt", dismissed_at as "dismissedAt"`;

/**
 * The rejected messages that are kept, in the order they were kept in: those that were dismissed, or the others.
 *
 * @param orgId null for those of all and of none.
 */
export async function listKept(
  pool: Pool,
  orgId: number | null,
  { isDismissed }: { isDismissed: boolean } = { isDismissed: false },
): Promise<KeptMessage[]> {
  const { rows } = await pool.query<KeptMessage>(
    `select ${KEPT_COLUMNS} from rejected_messages
     where ($1::integer is null or org_id = $1) and (dismissed_at is not null) = $2 order by id`,
    [orgId, isDismissed],
  );
  return rows;
}

/** Has a message on the list no more, or again. Null if there is none of this id (any more). */
export async function setDismissed(
  pool: Pool,
  id: number,
  isDismissed: boolean,
): Promise<KeptMessage | null> {
  const { rows } = await pool.query<KeptMessage>(
    `update rejected_messages set dismissed_at = case when $2 then coalesce(dismissed_at, now()) end
     where id = $1 returning ${KEPT_COLUMNS}`,
    [id, isDismissed],
  );
  return rows[0] ?? null;
}

/** Null if there is none of this id (any more). */
export async function findKept(pool: Pool, id: number): Promise<(KeptMessage & KeptPayload) | null> {
  const { rows } = await pool.query<KeptMessage & KeptPayload>(
    `select ${KEPT_COLUMNS}, payload, payload_sha256 as "payloadSha256" from rejected_messages where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Ids of those that were neither replayed yet nor dismissed, the first received first. @param orgId null for those of all and of none. */
export async function idsToReplay(pool: Pool, orgId: number | null): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select id from rejected_messages
     where replayed_at is null and dismissed_at is null and ($1::integer is null or org_id = $1)
     order by received_at, id`,
    [orgId],
  );
  return rows.map(({ id }) => id);
}
