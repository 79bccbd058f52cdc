import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect } from 'chai';
import { SentMessages } from '../../../simulation/connections.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, useIngest } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('the embedded broker', () => {
  const database = useDatabase();
  const ingest = useIngest(database);
  let dock: number;

  before(async () => {
    const site = await Site.create(database);
    dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [dock], { topic: 'site/portal' });
    await site.reader('mute', [dock], { topic: 'site/mute' });
    for (let number = 0; number < 20; number++) {
      await site.asset(`CRATE-${number}`, `C0FFEE${number}`);
    }
  });

  const rejected = () =>
    database.rows<{ topic: string; reason: string; bytes: number; kept: number; reader: string | null }>(
      `select message.topic, message.reason, message.bytes, length(message.payload) as kept, reader.name as reader
       from rejected_messages message left join readers reader on reader.id = message.reader_id
       order by message.id`,
    );
  const scanned = async () =>
    (
      await database.rows<{ tag_value: string }>('select tag_value from scan_events order by observed_at')
    ).map(({ tag_value: value }) => value);
  const counters = async (name: string) =>
    (
      await database.rows(
        `select messages, messages_rejected, reads, recorded, duplicates, unknown, unplaced, rejected, ignored
         from reader_counters join readers on readers.id = reader_id where readers.name = $1`,
        [name],
      )
    )[0];
  const read = (value: string, more: object = {}) => JSON.stringify({ value, ...more });

  beforeEach(async () => {
    await database.empty('scan_events, location_transitions, positions, rejected_messages, reader_counters');
    await database.empty('unknown_tags, received_messages');
  });

  it('acknowledges a publish when its scan is committed, and not before', async () => {
    const portal = await ingest.connect('portal');
    const blocker = await database.pool.connect();
    await blocker.query('begin; lock table scan_events in access exclusive mode');
    let isAcknowledged = false;
    const published = portal.publishAsync('site/portal', read('E2801160'), { qos: 1 }).then(() => {
      isAcknowledged = true;
    });
    await waitUntilBlocked(database);
    expect(isAcknowledged).to.equal(false);
    await blocker.query('commit');
    blocker.release();
    await published;
    expect(await scanned()).to.deep.equal(['E2801160']);
  });

  it('stores nineteen of twenty reads of which one is unusable, and explains that one', async () => {
    const portal = await ingest.connect('portal');
    const reads = Array.from({ length: 20 }, (_, number) => ({ value: `C0FFEE${number}` }));
    reads[7] = { value: 'b\u0007ad' };
    await portal.publishAsync('site/portal', JSON.stringify({ reads }), { qos: 1 });
    expect(await scanned()).to.have.lengthOf(19);
    const [row, ...others] = await rejected();
    expect(others).to.deep.equal([]);
    expect(row).to.include({ topic: 'site/portal', reader: 'portal' });
    expect(row?.reason).to.match(/^item 7: .*control/);
    expect(await counters('portal')).to.include({ messages: 1, reads: 20, recorded: 19, rejected: 1 });
  });

  it('rejects what it cannot read, with its reason, keeps it, and records the next good message', async () => {
    const portal = await ingest.connect('portal');
    const publish = (topic: string, payload: string | Buffer) =>
      portal.publishAsync(topic, payload, { qos: 1 });
    await publish('site/portal', 'this is no JSON');
    await publish('site/portal', Buffer.alloc(10 * 1024 * 1024, '['));
    await publish('site/nowhere', read('E2801160'));
    await publish('site/mute', read('E2801160'));
    await publish('site/portal', read('E2801160'));
    const [text, huge, unregistered, foreign, ...others] = await rejected();
    expect(others).to.deep.equal([]);
    expect(text).to.include({ topic: 'site/portal', bytes: 15, kept: 15, reader: 'portal' });
    expect(text?.reason).to.include('JSON');
    expect(huge).to.include({ bytes: 10_485_760, kept: 65_536 });
    expect(huge?.reason).to.include('10485760 bytes').and.include('limit of 1048576');
    expect(unregistered).to.include({ topic: 'site/nowhere', reader: 'portal' });
    expect(unregistered?.reason).to.include('site/portal');
    expect(foreign).to.include({ topic: 'site/mute', reader: 'portal' });
    expect(await scanned()).to.deep.equal(['E2801160']);
    expect(await counters('portal')).to.include({ messages: 5, messages_rejected: 4, reads: 1, recorded: 1 });
  });

  /** A reader that sends again under the identifier it used before. */
  async function resending(name: string, topic: string) {
    const sent = new SentMessages();
    const client = await ingest.connect(name, { messageIdProvider: sent.idsOf(name) });
    return (payload: string, isDup: boolean) =>
      sent.send(name, { topic, payload, isDup }, () =>
        client.publishAsync(topic, payload, { qos: 1, dup: isDup }),
      );
  }

  it('takes a redelivery without times for the message it was, and the same words without DUP for a new one', async () => {
    const publish = await resending('portal', 'site/portal');
    const publishRead = (isDup: boolean) => publish(read('E2801160'), isDup);
    await publishRead(false);
    await publishRead(true);
    await publishRead(true);
    expect(await scanned()).to.have.lengthOf(1);
    await publishRead(false);
    await publishRead(true);
    expect(await scanned()).to.have.lengthOf(2);
    expect(await counters('portal')).to.include({ messages: 5, reads: 5, recorded: 2, duplicates: 3 });
  });

  it('leaves no second trace of rejected and unknown reads of a redelivery', async () => {
    const publish = await resending('portal', 'site/portal');
    const reads = [{ value: 'DEAD', observed_at: new Date().toISOString() }];
    for (const isDup of [false, true]) {
      await publish('no JSON', isDup);
      await publish(JSON.stringify(reads), isDup);
    }
    expect(await rejected()).to.have.lengthOf(1);
    expect(await database.rows('select value, count from unknown_tags')).to.deep.equal([
      { value: 'DEAD', count: 1 },
    ]);
    expect(await counters('portal')).to.include({ messages: 4, messages_rejected: 2, reads: 2, unknown: 2 });
  });

  it('refuses who is not registered, and a wrong password', async () => {
    for (const [username, password] of [
      ['portal', 'wrong'],
      ['stranger', 'stranger'],
    ] as const) {
      const client = connectReader(ingest.port, username, { password });
      const error = await connected(client).catch((e: unknown) => e);
      expect(error).to.have.property('code', 4);
      await client.endAsync(true);
    }
  });

  it('has readers come again by themselves whose organization moves to another cell', async () => {
    const site = await Site.create(database, 'Moving');
    await site.reader('mover', [await site.location('DOCK')], { topic: 'moving/mover' });
    const hold = (at: string | null) =>
      database.rows('update organizations set deleted_at = $2, held_at = $2 where id = $1', [site.orgId, at]);
    const client = await ingest.connect('mover', { reconnectPeriod: 20 });
    const errors: unknown[] = [];
    let closes = 0;
    client.on('error', (error) => errors.push(error));
    client.on('close', () => {
      closes += 1;
    });
    await hold('2026-05-01T10:00:00Z');
    await until(() => closes >= 3);
    const changed = connectReader(ingest.port, 'mover', { password: 'that of the other cell' });
    const refusal = await connected(changed).catch((error: Error) => error.message);
    expect(refusal).to.equal('the connection was ended');
    await changed.endAsync(true);
    await hold(null);
    await client.publishAsync('moving/mover', read('E2801160'), { qos: 1 });
    expect(errors).to.deep.equal([]);
  });

  it('lets two readers have one client id, and no reader cut another off', async () => {
    const portal = await ingest.connect('portal', { clientId: 'same' });
    const mute = await ingest.connect('mute', { clientId: 'same' });
    await mute.publishAsync('site/mute', read('E2801160'), { qos: 1 });
    await portal.publishAsync('site/portal', read('E2801160'), { qos: 1 });
    expect(portal.connected && mute.connected).to.equal(true);
    expect(await scanned()).to.have.lengthOf(2);
  });

  it('cuts off who announces a packet larger than memory should hold, and serves the others', async () => {
    const portal = await ingest.connect('portal');
    const greedy = createConnection(ingest.port, '127.0.0.1');
    greedy.on('error', () => {});
    greedy.write(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]));
    await once(greedy, 'close');
    await portal.publishAsync('site/portal', read('E2801160'), { qos: 1 });
    expect(await scanned()).to.have.lengthOf(1);
  });

  it('lets no reader listen', async () => {
    const portal = await ingest.connect('portal', { clientId: 'listener' });
    const error = await portal.subscribeAsync('#').catch((e: unknown) => e);
    expect(error).to.be.instanceOf(Error);
  });
});

/** Resolves when a statement waits for a lock. */
async function waitUntilBlocked(database: ReturnType<typeof useDatabase>): Promise<void> {
  for (;;) {
    const [row] = await database.rows<{ blocked: number }>(
      `select count(*) as blocked from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (row !== undefined && row.blocked > 0) {
      return;
    }
  }
}
