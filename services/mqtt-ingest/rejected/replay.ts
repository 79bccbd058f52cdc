import type { Clock } from '../../../base/clock.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { topicMatches } from '../../../domain/administration/readers/topic.ts';
import {
  KEPT_COLUMNS,
  type KeptMessage,
  type KeptRow,
  toKept,
} from '../../../domain/administration/rejected/kept-message.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import type { Mapped } from '../../../domain/formats/mapping/run.ts';
import type { TimeRules } from '../../../domain/tracking/observed-at.ts';
import { AlreadyStored } from '../../../domain/tracking/record.ts';
import { isFaultOfMessage } from '../intake/fault-of-message.ts';
import { judge, refused } from '../intake/judge.ts';
import { digestsOf, excerptOf } from '../intake/message.ts';
import { addReaderCounts, countItems } from '../intake/reader-counters.ts';
import { recordItems } from '../intake/record-messages.ts';
import { reasonOf } from '../intake/rejected-messages.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';

/** Result of a replay, with the message as it is kept now. */
export interface Replay {
  /**
   * `replayed`: nothing was rejected this time. `rejected`: kept on with the new reason; whatever could be recorded is.
   * `cut`: only the beginning of its payload was kept, so it cannot be replayed.
   */
  outcome: 'replayed' | 'rejected' | 'cut';
  message: KeptMessage;
}

export interface ReplayOptions {
  pool: Pool;
  actor: Actor;
  /** As registered now. */
  readers: readonly RegisteredReader[];
  rules: TimeRules;
  clock: Clock;
}

/**
 * Runs a rejected message through its reader's present registration and format, with its first time of reception
 * (tracking rule 6). Scans recorded before are duplicates. A message of no reader becomes that of the reader who has
 * its topic now.
 *
 * One transaction: an interrupted replay did not happen.
 *
 * @param isOnlyOnce skips a message that was replayed already.
 * @returns null if there is no such message, or it was skipped.
 */
export async function replay(
  options: ReplayOptions,
  id: number,
  { isOnlyOnce }: { isOnlyOnce: boolean },
): Promise<Replay | null> {
  const attempt = (judged: typeof judge) =>
    inTransaction(
      options.pool,
      async (client, number) => {
        const kept = await lockKept(client, id, isOnlyOnce);
        if (kept === null) {
          return null;
        }
        return kept.payload.length < kept.bytes
          ? { outcome: 'cut' as const, message: kept }
          : replayLocked(client, kept, options, judged, number > 1);
      },
      (error) => error instanceof AlreadyStored,
    );
  try {
    return await attempt(judge);
  } catch (error) {
    if (!isFaultOfMessage(error)) {
      throw error;
    }
    return attempt(() => refused(error));
  }
}

interface LockedMessage extends KeptMessage {
  payload: Buffer;
  receivedMicros: Micros;
  isWhole: boolean;
}

async function lockKept(client: Client, id: number, isOnlyOnce: boolean): Promise<LockedMessage | null> {
  const row = await client.maybeOne(sql.prepared(
    'lock-rejected-message',
    rowsOf<KeptRow & { payload: Buffer; received_micros: Micros; is_whole: boolean }>(),
  )`
    select ${KEPT_COLUMNS}, payload, micros_of_time(received_at) as received_micros, is_whole
    from rejected_messages where id = ${id} and (not ${isOnlyOnce} or replayed_at is null)
    for update`);
  return (
    row && {
      ...toKept(row),
      payload: row.payload,
      receivedMicros: row.received_micros,
      isWhole: row.is_whole,
    }
  );
}

async function replayLocked(
  client: Client,
  kept: LockedMessage,
  { readers, rules, clock }: ReplayOptions,
  judged: typeof judge,
  isCareful: boolean,
): Promise<Replay> {
  const { topic, payload, receivedMicros: receivedAt } = kept;
  const reader = readerOf(kept, readers);
  const mapped = reader === 'deleted' ? DELETED : judged(reader, topic, payload);
  const excerpt = excerptOf(payload);
  const message = Object.assign(digestsOf({ topic, sender: 'replay', packetId: null }, excerpt), {
    topic,
    receivedAt,
    isDup: false,
    reader: reader === 'deleted' ? null : reader,
    mapped,
    payload: excerpt,
  });
  const reception = { receivedAt, isRedelivery: !kept.isWhole || kept.replayedAt !== null };
  const results = await recordItems(client, [{ message, reception }], { rules, now: clock(), isCareful });
  const rejections = results.flatMap((result) => result.rejections);
  const updated = await updateKept(client, kept.id, {
    reader: message.reader,
    reason: rejections.length === 0 ? null : reasonOf(rejections),
    isWhole: kept.isWhole && mapped.outcome === 'rejected',
  });
  await addReaderCounts(
    client,
    results.map(({ itemResults }) => ({ reader: message.reader, counts: countItems(message, itemResults) })),
  );
  return { outcome: rejections.length === 0 ? 'replayed' : 'rejected', message: updated };
}

const DELETED: Mapped = { outcome: 'rejected', reason: 'its reader was deleted' };

/**
 * Its own reader; if there was none, or it is gone, the one that has the topic now. A partly recorded message stays its
 * reader's, or its reads would be recorded again as another reader's.
 */
function readerOf(
  { orgId, readerId, topic, isWhole }: LockedMessage,
  readers: readonly RegisteredReader[],
): RegisteredReader | 'deleted' | null {
  const own = readers.find((reader) => reader.readerId === readerId);
  if (own !== undefined) {
    return own;
  }
  const successor = readers.find(
    (reader) => (orgId === null || reader.orgId === orgId) && topicMatches(reader.topic, topic),
  );
  if (readerId === null) {
    return successor ?? null;
  }
  return (isWhole ? successor : undefined) ?? 'deleted';
}

/** @param change.reason null if nothing is rejected any more: then it counts as replayed. */
async function updateKept(
  client: Client,
  id: number,
  { reader, reason, isWhole }: { reader: RegisteredReader | null; reason: string | null; isWhole: boolean },
): Promise<KeptMessage> {
  const row = await client.one(sql.prepared('update-rejected-message', rowsOf<KeptRow>())`
    update rejected_messages set
      org_id = coalesce(${reader?.orgId ?? null}, org_id), reader_id = coalesce(${reader?.readerId ?? null}, reader_id),
      reason = coalesce(${reason}, reason), is_whole = ${isWhole},
      replayed_at = case when ${reason}::text is null then now() else replayed_at end
    where id = ${id}
    returning ${KEPT_COLUMNS}`);
  return toKept(row);
}
