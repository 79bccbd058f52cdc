import { hasBlanksInToken, hasTokenShape, withoutTokens } from '../../base/scanned-text.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { bigints, byteas, integers, texts } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Mapped } from '../formats/mapping/run.ts';
import { formatsThatRead } from '../formats/would-read.ts';
import type { ReadMessage } from './message.ts';
import { readersToSample } from './reader-flaws.ts';

interface RejectedMessage {
  message: ReadMessage;
  rejections: readonly string[];
  /** An ignored message kept as a near miss. */
  kind?: 'near_miss';
}

/**
 * Rejected messages kept per organization, and without one; the oldest go first. Fewer per reader, so that a reader
 * whose every message is rejected leaves room for the others'.
 */
const REJECTED_MESSAGES_KEPT = { organization: 10_000, reader: 2_000 };

/** Stores rejected messages (dead letters) with reason and leading bytes, for inspection and replay. */
export async function keepRejectedMessages(
  db: Connection,
  rejected: readonly RejectedMessage[],
  kept = REJECTED_MESSAGES_KEPT,
): Promise<void> {
  if (rejected.length === 0) {
    return;
  }
  const ofMessages = <Value>(of: (message: ReadMessage) => Value) =>
    rejected.map(({ message }) => of(message));
  await db.exec(sql.prepared('keep-rejected-messages', NO_ROWS)`
    insert into rejected_messages
      (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256, is_whole, kind)
    select org_id, reader_id, topic, reason, time_of_micros(received_at), payload, bytes, payload_sha256, is_whole, kind
    from unnest(
      ${sql.binary(integers(ofMessages(({ reader }) => reader?.orgId ?? null)))}::integer[],
      ${sql.binary(integers(ofMessages(({ reader }) => reader?.readerId ?? null)))}::integer[],
      ${sql.binary(texts(ofMessages(({ topic }) => storable(topic))))}::text[],
      ${sql.binary(texts(rejected.map(({ rejections }) => reasonOf(rejections))))}::text[],
      ${sql.binary(bigints(ofMessages(({ receivedAt }) => receivedAt)))}::bigint[],
      ${sql.binary(byteas(ofMessages(payloadWithoutTokens)))}::bytea[],
      ${sql.binary(bigints(ofMessages(({ payload }) => payload.bytes)))}::bigint[],
      ${sql.binary(byteas(ofMessages(({ payload }) => payload.sha256)))}::bytea[],
      ${sql.array(
        ofMessages(({ mapped }) => mapped.outcome !== 'items'),
        'bool',
      )}, ${sql.binary(texts(rejected.map(({ kind = 'rejected' }) => kind)))}::text[])
      as message (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256, is_whole, kind)`);
  const readers = new Map(
    rejected.flatMap(({ message: { reader } }) => (reader === null ? [] : [[reader.readerId, reader.orgId]])),
  );
  await trimReaders(db, readers, kept.reader);
  const orgIds = [...new Set(ofMessages(({ reader }) => reader?.orgId ?? NO_ORGANIZATION))];
  await trim(db, orgIds.toSorted(), kept.organization);
}

const NO_ORGANIZATION = 0;

/**
 * Skips rows that another process is removing. The lock is outside, or it would apply to skipped rows, too.
 */
async function trim(db: Connection, orgIds: readonly number[], kept: number): Promise<void> {
  await db.exec(sql.prepared('trim-rejected-messages', NO_ROWS)`
    delete from rejected_messages where id = any (array(
      select old.id
      from unnest(${sql.binary(integers(orgIds))}::integer[]) as grown (org_id)
      cross join lateral (
        select id from rejected_messages where coalesce(rejected_messages.org_id, 0) = grown.org_id
        order by id desc offset ${kept}
      ) surplus
      cross join lateral (select id from rejected_messages where id = surplus.id for update skip locked) old
    ))`);
}

/** As `trim`. `readers`: their organizations, by id. */
async function trimReaders(
  db: Connection,
  readers: ReadonlyMap<number, number>,
  kept: number,
): Promise<void> {
  await db.exec(sql.prepared('trim-rejected-messages-of-readers', NO_ROWS)`
    delete from rejected_messages where id = any (array(
      select old.id
      from unnest(
        ${sql.binary(integers([...readers.values()]))}::integer[],
        ${sql.binary(integers([...readers.keys()]))}::integer[]
      ) as grown (org_id, reader_id)
      cross join lateral (
        select id from rejected_messages
        where rejected_messages.org_id = grown.org_id and rejected_messages.reader_id = grown.reader_id
        order by id desc offset ${kept}
      ) surplus
      cross join lateral (select id from rejected_messages where id = surplus.id for update skip locked) old
    ))`);
}

export function reasonOf([first = '', ...others]: readonly string[]): string {
  const reason = storable(first).slice(0, 2_000).toWellFormed();
  return others.length === 0 ? reason : `${reason} (and ${others.length} more)`;
}

/** Text the database accepts: no U+0000, no lone surrogates; and no secret. */
function storable(text: string): string {
  return withoutTokens(text.replaceAll('\0', '\u2400').toWellFormed());
}

const NOTHING = Buffer.alloc(0);

/**
 * The stored part of a rejected payload, secrets masked with asterisks. If a read is a secret that the
 * payload has in another form (base64, with blanks), nothing is stored.
 */
function payloadWithoutTokens({
  mapped,
  payload: { head },
}: Pick<ReadMessage, 'mapped' | 'payload'>): Buffer {
  // Each byte as a character, whatever the encoding: tokens are ASCII.
  const text = head.toString('latin1');
  const isSeen = hasTokenShape(text);
  const isOtherwise =
    mapped.outcome === 'items' &&
    mapped.items.some(
      (item) =>
        item.outcome === 'read' &&
        (isSeen ? hasBlanksInToken(item.read.value) : hasTokenShape(item.read.value)),
    );
  if (isOtherwise) {
    return NOTHING;
  }
  return isSeen ? Buffer.from(withoutTokens(text), 'latin1') : head;
}

/** Keeps one message of a reader and hour. @param messages with an ignored part that holds something like a tag. */
export async function keepNearMisses(client: Client, messages: readonly ReadMessage[]): Promise<void> {
  const firsts = new Map<number, ReadMessage>();
  for (const message of messages) {
    const { reader } = message;
    if (reader !== null && !firsts.has(reader.readerId)) {
      firsts.set(reader.readerId, message);
    }
  }
  const due = await readersToSample(
    client,
    [...firsts.values()].flatMap(({ reader, receivedAt }) =>
      reader === null ? [] : [{ ...reader, receivedAt }],
    ),
  );
  const kept = [...firsts].flatMap(([readerId, message]) => (due.has(readerId) ? [message] : []));
  await keepRejectedMessages(
    client,
    kept.map((message) => ({ message, rejections: [questionOf(message)], kind: 'near_miss' })),
  );
}

function nearMissOf(mapped: Mapped): { reason: string; nearMiss: string } | null {
  for (const item of mapped.outcome === 'items' ? mapped.items : [mapped]) {
    if (item.outcome === 'ignored' && 'nearMiss' in item && item.nearMiss !== undefined) {
      return { reason: item.reason, nearMiss: item.nearMiss };
    }
  }
  return null;
}

function questionOf({ mapped, topic, payload }: ReadMessage): string {
  const { reason = '', nearMiss = '' } = nearMissOf(mapped) ?? {};
  const isWhole = payload.head.length === payload.bytes;
  const formats = isWhole ? formatsThatRead({ topic, payload: payload.head }) : [];
  const by = formats.length === 0 ? '' : `; it would be, by ${formats.join(', ')}`;
  return `Should this have been a read? It holds ${nearMiss} and was ignored: ${reason}${by}`;
}
