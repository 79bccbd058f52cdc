import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { mapMessage } from '../../../domain/formats/mapping/run.ts';
import { loadReaders, type RegisteredReader } from '../../../domain/messages/load-readers.ts';
import {
  digestsOf,
  excerptOf,
  type IncomingMessage,
  type ReadMessage,
} from '../../../domain/messages/message.ts';
import { recordMessages } from '../../../domain/messages/record-messages.ts';
import { keepRejectedMessages } from '../../../domain/messages/rejected-messages.ts';
import { AlreadyStored } from '../../../domain/tracking/record.ts';
import { useDatabase } from '../../support/database.ts';
import { RULES } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

type Identity = Pick<IncomingMessage, 'sender' | 'packetId'>;

describe('recording messages', () => {
  const database = useDatabase();
  const formats = loadBuiltinFormats();
  const NOW = Date.UTC(2026, 4, 1, 10) * 1_000;
  let reader: RegisteredReader;
  let site: Site;

  before(async () => {
    site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    [reader] = (await loadReaders(database.pool, formats)) as [RegisteredReader];
  });
  beforeEach(() =>
    database.empty('scan_events, rejected_messages, received_messages, unknown_tags, reader_counters'),
  );

  function message(
    text: string,
    receivedAt: number,
    { packetId = 1, sender = 'session ingest', ...more }: Partial<ReadMessage & Identity> = {},
  ): ReadMessage {
    const payload = excerptOf(Buffer.from(text));
    const format = reader.format;
    return {
      ...digestsOf({ topic: 'portal', sender, packetId }, payload),
      topic: 'portal',
      receivedAt,
      isDup: false,
      reader,
      mapped:
        format === null
          ? { outcome: 'rejected', reason: 'no format' }
          : mapMessage(format, { topic: 'portal', payload: payload.head }),
      payload,
      ...more,
    };
  }
  const record = (...messages: ReadMessage[]) =>
    inTransaction(
      database.pool,
      (client, attempt) =>
        recordMessages(client, messages, { rules: RULES, now: NOW, isCareful: attempt > 1 }),
      (error) => error instanceof AlreadyStored,
    );
  const count = async (table: string) =>
    (await database.rows<{ count: number }>(`select count(*) from ${table}`))[0]?.count;

  it('leaves no second trace when a commit went through that nobody heard of', async () => {
    const all = [message('[{"value":"E280"}]', NOW), message('no JSON', NOW + 1)];
    await record(...all);
    await record(...all);
    expect([await count('scan_events'), await count('rejected_messages')]).to.deep.equal([1, 1]);
  });

  it('takes the same words at two times for two messages, also within one batch', async () => {
    await record(message('{"value":"E280"}', NOW), message('{"value":"E280"}', NOW + 1));
    await record(message('{"value":"E280"}', NOW + 2));
    expect(await count('scan_events')).to.equal(3);
  });

  it('knows a redelivery within the batch of the message itself', async () => {
    const words = '{"value":"E280"}';
    await record(message(words, NOW), message(words, NOW + 1, { isDup: true }));
    expect(await count('scan_events')).to.equal(1);
  });

  it('takes the same words under another identifier, or from another sender, for a new message, DUP or not', async () => {
    const words = '{"value":"E280"}';
    await record(message(words, NOW, { packetId: 7 }));
    await record(message(words, NOW + 1, { packetId: 8, isDup: true }));
    await record(message(words, NOW + 2, { packetId: 7, isDup: true, sender: 'session other' }));
    expect(await count('scan_events')).to.equal(3);
    await record(message(words, NOW + 3, { packetId: 8, isDup: true }));
    await record(message(words, NOW + 4, { packetId: 7, isDup: true }));
    expect(await count('scan_events')).to.equal(3);
  });

  it('knows the first copy of a message, recorded after its redelivery', async () => {
    const words = '{"value":"E280"}';
    await record(message(words, NOW + 1, { isDup: true }));
    for (const times of [1, 2]) {
      await record(message(words, NOW));
      expect(await count('scan_events'), `recorded ${times} times`).to.equal(1);
    }
    await record(message(words, NOW + 2));
    expect(await count('scan_events')).to.equal(2);
    await record(message(words, NOW + 3, { isDup: true }));
    await record(message(words, NOW - 1));
    expect(await count('scan_events')).to.equal(3);
  });

  it('takes words of more than 24 hours ago for a new message, DUP or not', async () => {
    const day = 86_400 * 1_000_000;
    await record(message('{"value":"E280"}', NOW - day - 1));
    await record(message('{"value":"E280"}', NOW, { isDup: true }));
    expect(await count('scan_events')).to.equal(2);
    await record(message('{"value":"E280"}', NOW + day, { isDup: true }));
    expect(await count('scan_events')).to.equal(2);
  });

  it('counts every read once, whatever becomes of it', async () => {
    await record(
      message(
        '[{"value":"E280"},{"value":"FEED"},{"value":7},{"value":"E280","antenna":9},{"value":"::"}]',
        NOW,
      ),
      message('{"value":"E280","observed_at":"2020-01-01T00:00:00Z"}', NOW + 1),
      message('{', NOW + 2),
    );
    const [counters] = await database.rows(
      `select messages, messages_rejected, reads, recorded, duplicates, unknown, unplaced, rejected, ignored
       from reader_counters`,
    );
    expect(counters).to.deep.equal({
      messages: 3,
      messages_rejected: 1,
      reads: 6,
      recorded: 1,
      duplicates: 0,
      unknown: 1,
      unplaced: 1,
      rejected: 3,
      ignored: 0,
    });
    const reasons = await database.rows<{ reason: string }>(
      'select reason from rejected_messages order by id',
    );
    expect(reasons.map(({ reason }) => reason)).to.have.lengthOf(3);
    expect(reasons[0]?.reason).to.match(/^item 2: .* \(and 1 more\)$/);
    expect(reasons[1]?.reason).to.match(/^too late/);
  });

  it('keeps a bounded number of rejected messages of each organization and of none, the oldest going first', async () => {
    const refused = (text: string, owner: RegisteredReader | null) => ({
      message: message(text, NOW, { reader: owner }),
      rejections: [text],
    });
    const keep = (...rejected: ReturnType<typeof refused>[]) =>
      inTransaction(database.pool, (client) =>
        keepRejectedMessages(client, rejected, { organization: 2, reader: 2 }),
      );
    await keep(refused('ours 1', reader), refused('nobody 1', null), refused('ours 2', reader));
    await keep(refused('nobody 2', null), refused('nobody 3', null));
    await keep(refused('ours 3', reader));
    const rows = await database.rows<{ reason: string }>('select reason from rejected_messages order by id');
    expect(rows.map(({ reason }) => reason)).to.deep.equal(['ours 2', 'nobody 2', 'nobody 3', 'ours 3']);
  });

  it('keeps fewer of one reader than of its organization, so that it pushes out none of the others', async () => {
    const quiet = { ...reader, readerId: await site.reader('quiet', []) };
    const refused = (text: string, owner: RegisteredReader | null) => ({
      message: message(text, NOW, { reader: owner }),
      rejections: [text],
    });
    const keep = (...rejected: ReturnType<typeof refused>[]) =>
      inTransaction(database.pool, (client) =>
        keepRejectedMessages(client, rejected, { organization: 4, reader: 2 }),
      );
    await keep(refused('quiet 1', quiet), refused('nobody 1', null));
    await keep(...['chatty 1', 'chatty 2', 'chatty 3', 'chatty 4'].map((text) => refused(text, reader)));
    await keep(refused('chatty 5', reader), ...['2', '3'].map((text) => refused(`nobody ${text}`, null)));
    const rows = await database.rows<{ reason: string }>('select reason from rejected_messages order by id');
    expect(rows.map(({ reason }) => reason)).to.have.members([
      ...['quiet 1', 'chatty 4', 'chatty 5'],
      ...['nobody 1', 'nobody 2', 'nobody 3'],
    ]);
  });

  it('writes what many small messages bring in one go, and a large message a few scans at a time', async () => {
    await database.rows(
      `with made as (
         insert into assets (org_id, external_key, name)
         select $1, 'M-' || number, 'm' from generate_series(1, 1400) as number returning id, external_key
       )
       insert into tags (org_id, tag_type, value, tag_key, asset_id)
       select $1, 'rfid', external_key, external_key, id from made`,
      [site.orgId],
    );
    const messagesOf = (reads: number, receivedAt: number) =>
      Array.from({ length: 1_400 / reads }, (_, at) => {
        const items = Array.from({ length: reads }, (_, place) => ({ value: `M-${1 + at * reads + place}` }));
        return message(JSON.stringify(items), receivedAt + at);
      });
    /** How often positions are locked: once for what is written in one go. */
    const locksOf = (messages: readonly ReadMessage[]) =>
      inTransaction(database.pool, async (client) => {
        const query = client.query.bind(client) as (...values: unknown[]) => unknown;
        let locks = 0;
        client.query = ((config: { name?: string }, ...values: unknown[]) => {
          locks += Number(config.name === 'lock-positions');
          return query(config, ...values);
        }) as unknown as typeof client.query;
        try {
          await recordMessages(client, messages, { rules: RULES, now: NOW, isCareful: false });
        } finally {
          client.query = query as typeof client.query;
        }
        return locks;
      });
    // The positions are made.
    await record(...messagesOf(50, NOW - 4_000));
    expect(await locksOf(messagesOf(50, NOW - 3_000))).to.equal(1);
    expect(await locksOf(messagesOf(700, NOW - 2_000))).to.be.at.least(1_400 / 250);
    expect(await count('scan_events')).to.equal(4_200);
  });
});
