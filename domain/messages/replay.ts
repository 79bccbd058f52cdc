import type { Clock } from '../../base/clock.ts';
import type { Micros } from '../../base/instant.ts';
import { wireTimeOrNull } from '../../base/timestamps.ts';
import type { Client, Pool } from '../../db/timescale/connections/client.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import {
  KEPT_COLUMNS,
  type KeptMessage,
  type KeptRow,
  toKept,
} from '../administration/rejected/kept-message.ts';
import type { Actor } from '../changes/actor.ts';
import { type ChangeEntry, differences } from '../changes/entry.ts';
import { logChanges } from '../changes/make-change.ts';
import type { Format } from '../formats/mapping/format.ts';
import type { Mapped } from '../formats/mapping/run.ts';
import { announcingMoves } from '../tracking/feed/unsealed-move.ts';
import type { TimeRules } from '../tracking/observed-at.ts';
import { AlreadyStored } from '../tracking/record.ts';
import { isFaultOfMessage } from './fault-of-message.ts';
import { judge, refused } from './judge.ts';
import { findReaderByTopic, loadReaders, type RegisteredReader } from './load-readers.ts';
import { digestsOf, excerptOf } from './message.ts';
import { withoutUnsetTimes } from './reader-clocks.ts';
import { addReaderCounts, countItems, type MessageCounts } from './reader-counters.ts';
import { recordItems } from './record-messages.ts';
import { reasonOf } from './rejected-messages.ts';

export interface Replay {
  /**
   * `replayed`: no rejection this time. `rejected`: kept with the new reason; everything that could be
   * recorded is. `cut`: the stored payload is truncated, so it cannot be replayed.
   */
  outcome: 'replayed' | 'rejected' | 'cut';
  message: KeptMessage;
  /** Outcomes of its reads, except those rejected again. */
  reads: ReplayedReads;
}

export type ReplayedReads = Pick<MessageCounts, (typeof REPLAYED_READS)[number]>;

/** Duplicates were recorded before. */
export const REPLAYED_READS = ['recorded', 'duplicates', 'unknown', 'unplaced'] as const;

export const NO_READS: ReplayedReads = { recorded: 0, duplicates: 0, unknown: 0, unplaced: 0 };

export interface ReplayOptions {
  pool: Pool;
  actor: Actor;
  formats: { get(name: string): Format | undefined };
  rules: TimeRules;
  clock: Clock;
  /** Called after a commit that changed the feeds of these organizations. */
  onMoves?(orgIds: readonly number[]): void;
}

export interface ReplayHow {
  /** Skips a message that was replayed already. */
  isOnlyOnce: boolean;
  /** Reads it by this format instead of its reader's. */
  format?: Format | undefined;
}

/**
 * Replays a rejected message with its reader's present registration and format and its first time of
 * reception (docs/tracking.md rule 6). Scans recorded before are duplicates. A message without a reader goes
 * to the one that has its topic now.
 *
 * One transaction: an interrupted replay has no effect.
 *
 * @returns null if there is no such message, or it was skipped.
 */
export async function replay(
  options: ReplayOptions,
  id: number,
  { isOnlyOnce, format }: ReplayHow,
): Promise<Replay | null> {
  let orgIds: readonly number[] = [];
  const attempt = (judged: typeof judge) =>
    announcingMoves(
      () => options.onMoves?.(orgIds),
      (note) =>
        inTransaction(
          options.pool,
          async (client, number) => {
            const kept = await lockKept(client, id, isOnlyOnce);
            if (kept === null) {
              return null;
            }
            if (kept.payload.length < kept.bytes) {
              return { outcome: 'cut' as const, message: kept, reads: NO_READS };
            }
            const { replayed } = note(
              await replayLocked(client, kept, { ...options, format }, judged, number > 1),
            );
            orgIds = replayed.message.orgId === null ? [] : [replayed.message.orgId];
            return replayed;
          },
          (error) => error instanceof AlreadyStored,
        ),
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
  { actor, formats, rules, clock, format }: ReplayOptions & Pick<ReplayHow, 'format'>,
  judged: typeof judge,
  isCareful: boolean,
): Promise<{ replayed: Replay; unsealed: number }> {
  const { topic, payload, receivedMicros: receivedAt } = kept;
  const found = await readerOf(client, formats, kept);
  const reader =
    format === undefined || found === null || found === 'deleted' ? found : readingAs(format, found);
  const mapped =
    reader === 'deleted'
      ? DELETED
      : withoutUnsetTimes(reader, judged(reader, topic, payload), receivedAt, rules.lateness);
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
  const options = { rules, now: clock(), isCareful };
  const { results, unsealed } = await recordItems(client, [{ message, reception }], options);
  const rejections = results.flatMap((result) => result.rejections);
  const counts = countItems(
    message,
    results.flatMap(({ itemResults }) => itemResults),
    null,
  );
  const updated = await updateKept(client, kept.id, {
    reader: message.reader,
    reason: rejections.length === 0 ? null : reasonOf(rejections),
    isWhole: kept.isWhole && mapped.outcome === 'rejected',
  });
  await logChanges(client, actor, replayOf(kept, updated, format));
  await addReaderCounts(client, [{ reader: message.reader, counts }]);
  const outcome = rejections.length === 0 ? 'replayed' : 'rejected';
  const { recorded, duplicates, unknown, unplaced } = counts;
  const reads = { recorded, duplicates, unknown, unplaced };
  return { replayed: { outcome, message: updated, reads }, unsealed };
}

/** Empty if it was rejected again for the same reason. */
function replayOf(before: KeptMessage, after: KeptMessage, format: Format | undefined): ChangeEntry[] {
  const differing = differences(fieldsOf(before), fieldsOf(after));
  const resource = { type: 'rejected_message', id: after.id } as const;
  if (differing === null) {
    return [];
  }
  const by = format === undefined ? {} : { format: format.name };
  return [
    {
      ...{ orgId: after.orgId, action: 'replay', resource },
      before: differing.before,
      after: { ...differing.after, ...by },
    },
  ];
}

function fieldsOf({ reason, readerId, replayedAt }: KeptMessage) {
  return { reason, reader_id: readerId, replayed_at: wireTimeOrNull(replayedAt) };
}

function readingAs(format: Format, reader: RegisteredReader): RegisteredReader {
  return { ...reader, format, formatName: format.name };
}

const DELETED: Mapped = { outcome: 'rejected', reason: 'its reader was deleted' };

/**
 * Its own reader; if it had none, or that is deleted, the one that has the topic now. A partly recorded
 * message stays with its reader, or its reads would be recorded again as another reader's.
 */
async function readerOf(
  client: Client,
  formats: ReplayOptions['formats'],
  { orgId, readerId, topic, isWhole }: LockedMessage,
): Promise<RegisteredReader | 'deleted' | null> {
  if (readerId === null) {
    return findReaderByTopic(client, formats, topic, orgId);
  }
  const [own] = await loadReaders(client, formats, { readerIds: [readerId] });
  return own ?? (isWhole ? await findReaderByTopic(client, formats, topic, orgId) : null) ?? 'deleted';
}

/** @param change.reason null for a message without rejections, which counts as replayed. */
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
