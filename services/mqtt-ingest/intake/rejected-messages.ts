import type { ClientBase } from 'pg';
import type { ReadMessage } from './message.ts';

export interface RejectedMessage {
  message: ReadMessage;
  rejections: readonly string[];
}

/** Keeps what was rejected, with its reason and the beginning of its bytes, so that it can be looked at and replayed. */
export async function keepRejectedMessages(
  client: ClientBase,
  rejected: readonly RejectedMessage[],
): Promise<void> {
  if (rejected.length === 0) {
    return;
  }
  await client.query({
    name: 'keep-rejected-messages',
    text: `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256)
      select org_id, reader_id, topic, reason, time_of_micros(received_at), payload, bytes, payload_sha256
      from unnest($1::integer[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::bigint[],
        $8::bytea[]) as message (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256)`,
    values: [
      rejected.map(({ message }) => message.reader?.orgId ?? null),
      rejected.map(({ message }) => message.reader?.readerId ?? null),
      rejected.map(({ message }) => storable(message.topic)),
      rejected.map(({ rejections }) => storable(reasonOf(rejections))),
      rejected.map(({ message }) => message.receivedAt),
      rejected.map(({ message }) => message.payload.head),
      rejected.map(({ message }) => message.payload.bytes),
      rejected.map(({ message }) => message.payload.sha256),
    ],
  });
}

function reasonOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

/** Text the database takes: no U+0000, no lone surrogates, and no longer than anyone reads. */
function storable(text: string): string {
  return text.slice(0, 2_000).replaceAll('\0', '\u2400').toWellFormed();
}
