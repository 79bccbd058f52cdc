import { withoutTokens } from '../../../base/tag-secrets.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import type { ReadMessage } from './message.ts';
import { payloadWithoutTokens } from './payload-without-tokens.ts';

export interface RejectedMessage {
  message: ReadMessage;
  rejections: readonly string[];
}

/** How many rejected messages are kept of an organization, and of none; beyond that the oldest go. */
export const REJECTED_MESSAGES_KEPT = 10_000;

/** Keeps what was rejected, with its reason and the beginning of its bytes, so that it can be looked at and replayed. */
export async function keepRejectedMessages(
  client: Client,
  rejected: readonly RejectedMessage[],
  kept = REJECTED_MESSAGES_KEPT,
): Promise<void> {
  if (rejected.length === 0) {
    return;
  }
  await client.query({
    name: 'keep-rejected-messages',
    text: `insert into rejected_messages
        (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256, is_whole)
      select org_id, reader_id, topic, reason, time_of_micros(received_at), payload, bytes, payload_sha256, is_whole
      from unnest($1::integer[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::bigint[],
        $8::bytea[], $9::boolean[])
        as message (org_id, reader_id, topic, reason, received_at, payload, bytes, payload_sha256, is_whole)`,
    values: [
      rejected.map(({ message }) => message.reader?.orgId ?? null),
      rejected.map(({ message }) => message.reader?.readerId ?? null),
      rejected.map(({ message }) => storable(message.topic)),
      rejected.map(({ rejections }) => reasonOf(rejections)),
      rejected.map(({ message }) => message.receivedAt),
      rejected.map(({ message }) => payloadWithoutTokens(message)),
      rejected.map(({ message }) => message.payload.bytes),
      rejected.map(({ message }) => message.payload.sha256),
      rejected.map(({ message }) => message.mapped.outcome === 'rejected'),
    ],
  });
  const orgIds = [...new Set(rejected.map(({ message }) => message.reader?.orgId ?? NO_ORGANIZATION))];
  await client.query({ name: 'trim-rejected-messages', text: TRIM, values: [orgIds.toSorted(), kept] });
}

/** Stands for messages on a topic that no reader has. */
const NO_ORGANIZATION = 0;

/** Rows another process is just removing are left to it. The lock stands outside: it would fall on skipped rows too. */
const TRIM = `delete from rejected_messages where id = any (array(
    select old.id
    from unnest($1::integer[]) as grown (org_id)
    cross join lateral (
      select id from rejected_messages where coalesce(rejected_messages.org_id, 0) = grown.org_id
      order by id desc offset $2
    ) surplus
    cross join lateral (select id from rejected_messages where id = surplus.id for update skip locked) old
  ))`;

/** Why a message was rejected, as it is kept: the first reason, no longer than anyone reads, and how many more. */
export function reasonOf([first = '', ...others]: readonly string[]): string {
  const reason = storable(first).slice(0, 2_000).toWellFormed();
  return others.length === 0 ? reason : `${reason} (and ${others.length} more)`;
}

/** Text the database takes: no U+0000, no lone surrogates; and no secret. */
function storable(text: string): string {
  return withoutTokens(text.replaceAll('\0', '\u2400').toWellFormed());
}
