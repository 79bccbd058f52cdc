import { createConnection } from 'node:net';
import { expect } from 'chai';
import { writeToStream } from 'mqtt-packet';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig, useIngest } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('when a reader was disconnected from the embedded broker', () => {
  const database = useDatabase();
  const ingest = useIngest(database);
  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    for (const name of ['calm', 'twice', 'silent', 'cut']) {
      await site.reader(name, [dock]);
    }
  });

  const spans = (name: string) =>
    database.rows<{ state: string; started: number; ended: number | null }>(
      `select span.state, extract(epoch from started_at)::float8 * 1000 as started,
         extract(epoch from ended_at)::float8 * 1000 as ended
       from reader_spans span join readers reader on reader.org_id = span.org_id and reader.id = span.reader_id
       where reader.name = $1 order by started_at`,
      [name],
    );
  const isConnected = async (name: string) =>
    (
      await database.rows(
        `select from reader_connections connection
         join readers reader on reader.org_id = connection.org_id and reader.id = connection.reader_id
         where reader.name = $1`,
        [name],
      )
    ).length === 1;

  it('is from its last disconnect to its next connect, by the clock of the service', async () => {
    const before = Date.now();
    const first = await ingest.connect('calm');
    await until(() => isConnected('calm'));
    expect(await spans('calm')).to.deep.equal([]);
    await first.endAsync();
    await until(async () => (await spans('calm')).length === 1);
    const [open] = await spans('calm');
    expect(open).to.deep.include({ state: 'disconnected', ended: null });
    expect(open?.started).to.be.within(before, Date.now());
    expect(await isConnected('calm')).to.equal(false);
    await ingest.connect('calm');
    await until(async () => (await spans('calm'))[0]?.ended !== null);
    const [ended] = await spans('calm');
    expect(ended?.started).to.equal(open?.started);
    expect(ended?.ended).to.be.within(ended?.started ?? 0, Date.now());
  });

  it('does not begin while another connection of the reader is open', async () => {
    const one = await ingest.connect('twice', { clientId: 'one' });
    const other = await ingest.connect('twice', { clientId: 'other' });
    await one.endAsync();
    await other.publishAsync('twice', '{"value":"E280"}', { qos: 1 });
    await until(() => isConnected('twice'));
    expect(await spans('twice')).to.deep.equal([]);
    await other.endAsync();
    await until(async () => (await spans('twice')).length === 1);
  });

  it('begins when its keepalive runs out', async () => {
    const socket = createConnection(ingest.port, '127.0.0.1');
    writeToStream(
      {
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        clientId: 'silent',
        keepalive: 1,
        username: 'silent',
        password: Buffer.from('silent'),
      },
      socket,
    );
    const before = Date.now();
    await until(async () => (await spans('silent')).length === 1);
    const [span] = await spans('silent');
    expect(span?.started).to.be.above(before + 1_000);
    socket.destroy();
  });

  it('begins with the last sign of it if the broker ended without a word, and when the broker stops', async () => {
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    const reader = await ingest.connect('cut');
    await reader.publishAsync('cut', '{"value":"E280"}', { qos: 1 });
    await until(() => isConnected('cut'));
    const [counted] = await database.rows<{ heard: number }>(
      `select extract(epoch from heard_until)::float8 * 1000 as heard from reader_counters
       join readers on readers.id = reader_id where name = 'cut'`,
    );
    // What a killed broker leaves behind is what this one finds, whose reader is still connected to the other.
    const { port } = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle);
    const [span] = await spans('cut');
    expect(span).to.deep.include({ state: 'disconnected', ended: null, started: counted?.heard });
    const again = connectReader(port, 'cut');
    await connected(again);
    await until(() => isConnected('cut'));
    const [{ ended } = {}] = await spans('cut');
    expect(ended).to.be.a('number');
    await lifecycle.stop();
    await again.endAsync(true);
    const since = (await spans('cut')).at(-1);
    expect(since).to.deep.include({ state: 'disconnected', ended: null });
    expect(since?.started).to.be.at.least(ended ?? Number.POSITIVE_INFINITY);
    expect(await isConnected('cut')).to.equal(false);
  });
});
