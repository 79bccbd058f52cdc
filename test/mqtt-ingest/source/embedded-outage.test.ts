import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { writeToStream } from 'mqtt-packet';
import { useDatabase } from '../../support/database.ts';
import { connectReader, useIngest } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

/** In seconds. */
const KEEPALIVE = 2;

/** Four come within a keepalive: a reader that has had these was held for four times that. */
const ANSWERS = 16;

describe('the embedded broker while the database is away', () => {
  const database = useDatabase();
  const ingest = useIngest(database);

  let site: Site;

  before(async () => {
    site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    await site.reader('calm', [dock]);
    await site.reader('eager', [dock]);
    await site.reader('silent', [dock]);
  });

  let endOutage = async () => {};
  const beginOutage = async () => {
    const blocker = await database.pool.connect();
    await blocker.query('begin; lock table scan_events in access exclusive mode');
    endOutage = async () => {
      endOutage = async () => {};
      await blocker.query('commit');
      blocker.release();
    };
  };
  afterEach(() => endOutage());
  const observe = (reader: MqttClient) => {
    const seen = { answers: 0, ends: 0 };
    reader.on('packetreceive', ({ cmd }) => {
      seen.answers += cmd === 'pingresp' ? 1 : 0;
    });
    reader.on('close', () => {
      seen.ends += 1;
    });
    return seen;
  };
  const payload = (rssi: number, filling = '') => JSON.stringify({ value: 'E2801160', rssi, filling });
  const count = async () => (await database.rows('select from scan_events')).length;

  it('keeps a reader whose keepalive is far shorter, and acknowledges nothing until it is back', async () => {
    const reader = await ingest.connect('calm', { keepalive: KEEPALIVE });
    const seen = observe(reader);
    await beginOutage();
    let acknowledged = 0;
    const published = [1, 2, 3].map(async (number) => {
      await reader.publishAsync('calm', payload(-number), { qos: 1 });
      acknowledged += 1;
    });
    await until(() => seen.answers >= ANSWERS);
    expect({ acknowledged, ends: seen.ends }).to.deep.equal({ acknowledged: 0, ends: 0 });
    await endOutage();
    await Promise.all(published);
    expect(seen.ends).to.equal(0);
    expect(await count()).to.equal(3);
  });

  it('keeps a reader that has sent more than is read, so that its pings are stuck behind it', async () => {
    await database.empty('scan_events');
    const reader = await ingest.connect('eager', { keepalive: KEEPALIVE });
    const seen = observe(reader);
    await beginOutage();
    const messages = 3_000;
    const published = Array.from({ length: messages }, (_, number) =>
      reader.publishAsync('eager', payload(-number, 'x'.repeat(8_192)), { qos: 1 }),
    );
    await until(() => seen.answers >= ANSWERS);
    expect(seen.ends).to.equal(0);
    await endOutage();
    await Promise.all(published);
    expect(seen.ends).to.equal(0);
    expect(await count()).to.equal(messages);
  });

  it('ends without an answer who may have been registered since, so that it comes again by itself', async () => {
    const reader = connectReader(ingest.port, 'new', { reconnectPeriod: 20 });
    const errors: unknown[] = [];
    reader.on('error', (error) => errors.push(error));
    await database.rows('alter table readers rename to readers_away');
    try {
      await new Promise<void>((resolve) => reader.once('close', () => resolve()));
    } finally {
      await database.rows('alter table readers_away rename to readers');
    }
    await site.reader('new', [null]);
    await until(() => reader.connected);
    await reader.endAsync(true);
    expect(errors).to.deep.equal([]);
  });

  it('cuts off a reader that is silent for longer than its keepalive', async () => {
    const silent = async (keepalive: number) => {
      const socket = createConnection(ingest.port, '127.0.0.1');
      writeToStream(
        {
          cmd: 'connect',
          protocolId: 'MQTT',
          protocolVersion: 4,
          clean: true,
          clientId: `silent for ${keepalive}`,
          keepalive,
          username: 'silent',
          password: Buffer.from('silent'),
        },
        socket,
      );
      const [connack] = await once(socket, 'data');
      expect([...connack]).to.deep.equal([0x20, 2, 0, 0]);
      socket.resume();
      return socket;
    };
    const patient = await silent(3);
    const began = performance.now();
    const impatient = await silent(1);
    await once(impatient, 'close');
    expect(performance.now() - began).to.be.at.least(1_400);
    expect(patient.closed).to.equal(false);
    await once(patient, 'close');
  });
});
