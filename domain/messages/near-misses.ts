import type { Client } from '../../db/timescale/connections/client.ts';
import type { Mapped } from '../formats/mapping/run.ts';
import { formatsThatRead } from '../formats/would-read.ts';
import type { ReadMessage } from './message.ts';
import { readersToSample } from './reader-flaws.ts';
import { keepRejectedMessages } from './rejected-messages.ts';

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
