import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { mapMessage } from '../../../domain/formats/mapping/run.ts';
import { loadReaders, type RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { digestsOf, excerptOf, type ReadMessage } from '../../../domain/messages/message.ts';
import { recordMessages } from '../../../domain/messages/record-messages.ts';
import { useDatabase } from '../../support/database.ts';
import { Random } from '../../support/random.ts';
import { randomSets } from '../../support/random-sets.ts';
import { RULES } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

/** Seconds since the beginning, first and last, and how many messages. */
type Stretch = [since: number, until: number, messages: number];

describe('when a reader was heard', () => {
  const database = useDatabase();
  const BEGINNING = Date.UTC(2026, 4, 1, 10) * 1_000;
  let readers: RegisteredReader[];

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [dock]);
    await site.reader('gate', [dock], { format: 'zebra-iotc' });
    readers = [...(await loadReaders(database.pool, loadBuiltinFormats()))];
  });
  beforeEach(() => database.empty('rejected_messages, received_messages, reader_counters, reader_spans'));

  /** @param second since the beginning. */
  function message(second: number, text: string, more: Partial<ReadMessage> = {}): ReadMessage {
    const reader = readers.find(({ topic }) => topic === (more.topic ?? 'portal')) as RegisteredReader;
    const payload = excerptOf(Buffer.from(text));
    return {
      ...digestsOf({ topic: reader.topic, sender: 'session ingest', packetId: 1 }, payload),
      topic: reader.topic,
      receivedAt: BEGINNING + Math.round(second * MICROS_PER_SECOND),
      isDup: false,
      reader,
      mapped:
        reader.format === null
          ? { outcome: 'rejected', reason: 'no format' }
          : mapMessage(reader.format, { topic: reader.topic, payload: payload.head }),
      payload,
      ...more,
    };
  }
  const record = (messages: readonly ReadMessage[]) =>
    inTransaction(database.pool, (client) =>
      recordMessages(client, messages, { rules: RULES, now: BEGINNING, isCareful: false }),
    );
  const hear = (...seconds: number[]) => record(seconds.map((second) => message(second, `${second}`)));

  async function heard(topic = 'portal'): Promise<Stretch[]> {
    const rows = await database.rows<{ since: number; until: number; messages: number }>(
      `select extract(epoch from since - to_timestamp($2))::float8 as since,
         extract(epoch from until - to_timestamp($2))::float8 as until, messages::integer as messages
       from readers
       cross join lateral (
         select started_at, ended_at, messages from reader_spans
           where reader_spans.org_id = readers.org_id and reader_id = readers.id and state = 'up'
         union all
         select heard_since, heard_until, heard_messages from reader_counters
           where reader_counters.org_id = readers.org_id and reader_id = readers.id and heard_since is not null
       ) stretch (since, until, messages)
       where topic = $1 order by since`,
      [topic, BEGINNING / MICROS_PER_SECOND],
    );
    return rows.map(({ since, until, messages }) => [since, until, messages]);
  }

  it('is one stretch as long as each message comes within 15 seconds of the one before', async () => {
    await hear(0);
    await hear(15);
    await hear(20, 25, 40);
    expect(await heard()).to.deep.equal([[0, 40, 5]]);
    expect(await database.rows('select from reader_spans')).to.have.lengthOf(0);
  });

  it('shows every longer gap, also those between messages that were committed together', async () => {
    await hear(0, 10, 25.000001, 60, 61);
    await hear(70, 100);
    expect(await heard()).to.deep.equal([
      [0, 10, 2],
      [25.000001, 25.000001, 1],
      [60, 70, 3],
      [100, 100, 1],
    ]);
  });

  it('counts messages of every kind: reads, heartbeats, rejected ones', async () => {
    await record([
      message(0, '{"value":"E280"}'),
      message(14, 'not a message'),
      message(0, '{"type":"heartbeat"}', { topic: 'gate' }),
      message(20, '{"type":"heartbeat"}', { topic: 'gate' }),
    ]);
    expect(await heard()).to.deep.equal([[0, 14, 2]]);
    expect(await heard('gate')).to.deep.equal([
      [0, 0, 1],
      [20, 20, 1],
    ]);
  });

  it('does not count what the broker had kept, nor what is delivered again', async () => {
    const first = message(0, 'first');
    await record([first]);
    await record([message(100, 'first', { isDup: true })]);
    await record([
      message(200, 'kept', { isStale: true, mapped: { outcome: 'ignored', reason: 'retained' } }),
    ]);
    expect(await heard()).to.deep.equal([[0, 0, 1]]);
  });

  it('is what was received, in whatever order and batches two processes commit it', async () => {
    const numbers = new Random(7, 0);
    const random = () => numbers.below(1e6) / 1e6;
    for (let round = 0; round < Math.max(9, randomSets(40)); round++) {
      await database.empty('reader_counters, reader_spans, rejected_messages, received_messages');
      const widest = [3, 12, 30][round % 3] ?? 3;
      let at = 0;
      const seconds = Array.from({ length: 40 }, () => {
        at += random() < 0.8 ? random() * widest : 15 + random() * 30;
        return Math.round(at * 1e3) / 1e3;
      });
      // Mostly in order; some are committed much later.
      const order = seconds
        .map((second) => ({ second, rank: second + (random() < 0.2 ? random() * 300 : 0) }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ second }) => second);
      const batches: number[][] = [];
      while (order.length > 0) {
        batches.push(order.splice(0, 1 + Math.floor(random() * 6)));
      }
      while (batches.length > 0) {
        await Promise.all(batches.splice(0, 2).map((batch) => hear(...batch)));
      }
      expect(await heard(), `round ${round}`).to.deep.equal(stretchesOf(seconds));
      expect(await database.rows('select from reader_counters where heard_late is not null')).to.deep.equal(
        [],
      );
    }
  });
});

function stretchesOf(ascending: readonly number[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const second of ascending) {
    const last = stretches.at(-1);
    if (last !== undefined && Math.round((second - last[1]) * 1e6) <= 15e6) {
      last[1] = second;
      last[2] += 1;
    } else {
      stretches.push([second, second, 1]);
    }
  }
  return stretches;
}
