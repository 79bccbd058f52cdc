import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { mapMessage } from '../../domain/formats/mapping/run.ts';
import { loadReaders, type RegisteredReader } from '../../domain/messages/load-readers.ts';
import { digestsOf, excerptOf, type ReadMessage } from '../../domain/messages/message.ts';
import { recordMessages } from '../../domain/messages/record-messages.ts';
import { AlreadyStored } from '../../domain/tracking/record.ts';
import { RULES } from './recording.ts';

/** As ingestion knows it. */
export async function registeredReader(pool: Pool, readerId: number): Promise<RegisteredReader> {
  for (const reader of await loadReaders(pool, loadBuiltinFormats())) {
    if (reader.readerId === readerId) {
      return reader;
    }
  }
  throw new RangeError(`no reader ${readerId}`);
}

/** A message of a reader that was received at a time, with reads of other times in it. */
export function messageOf(
  reader: RegisteredReader,
  receivedAt: Micros,
  observedAt: readonly Micros[] = [],
  values: readonly string[] = ['E280'],
): ReadMessage {
  const reads = observedAt.flatMap((at) =>
    values.map((value) => ({ value, antenna: 1, observed_at: new Date(at / 1_000).toISOString() })),
  );
  const payload = excerptOf(Buffer.from(JSON.stringify({ at: receivedAt, reads })));
  return {
    ...digestsOf({ topic: reader.topic, sender: 'session ingest', packetId: 1 }, payload),
    ...{ topic: reader.topic, receivedAt, isDup: false, reader, payload },
    mapped:
      reader.format === null || observedAt.length === 0
        ? { outcome: 'ignored', reason: 'a heartbeat' }
        : mapMessage(reader.format, { topic: reader.topic, payload: payload.head }, reader.policies),
  };
}

/** In one commit. */
export async function recordAll(
  pool: Pool,
  messages: readonly ReadMessage[],
  now: Micros = Math.max(...messages.map(({ receivedAt }) => receivedAt)) + MICROS_PER_SECOND,
): Promise<void> {
  await inTransaction(
    pool,
    (client, attempt) => recordMessages(client, messages, { rules: RULES, now, isCareful: attempt > 1 }),
    (error) => error instanceof AlreadyStored,
  );
}
