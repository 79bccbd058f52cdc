import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { generate } from 'mqtt-packet';
import { listReaders } from '../../../domain/administration/readers/list-readers.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('what one reader may send to the embedded broker', () => {
  const database = useDatabase();
  let site: Site;
  const clients: MqttClient[] = [];

  before(async () => {
    site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    await site.reader('loud', [dock]);
    await site.reader('quiet', [dock]);
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.endAsync(true))));

  async function start(quota: object = {}) {
    const { log, lines } = recordedLog();
    const lifecycle = new Lifecycle(log);
    const { port } = await startEmbeddedIngest({ ...ingestConfig(database.url), ...quota }, log, lifecycle);
    const connect = async (name: string, clientId = name) => {
      const client = connectReader(port, name, { clientId });
      clients.push(client);
      await connected(client);
      return client;
    };
    return { connect, lines, port, stop: () => lifecycle.stop() };
  }
  const countersOf = async (name: string) =>
    (await listReaders(database.pool, site.orgId)).find((reader) => reader.name === name)?.counters;

  it('is slowed down beyond its quota by all its connections together, loses nothing, and is counted and named', async () => {
    const { connect, lines, stop } = await start({ READER_MESSAGES_PER_SECOND: 100 });
    const loud = [await connect('loud', 'one'), await connect('loud', 'two')];
    const quiet = await connect('quiet');
    // What is read of a connection at once, up to 128 KiB, is let through at once: they send five times that.
    const filling = 'x'.repeat(2_500);
    const read = (number: number) => JSON.stringify({ value: 'E2801160', rssi: -(number / 10), filling });
    const began = performance.now();
    let sent = 0;
    const publish = (client: MqttClient) => client.publishAsync('loud', read(sent++), { qos: 1 });
    let isQuietHeard = false;
    // It goes on until the other one was heard, however long that takes.
    const flood = async (client: MqttClient) => {
      await Promise.all(Array.from({ length: 250 }, () => publish(client)));
      while (!isQuietHeard) {
        await publish(client);
      }
    };
    const flooding = Promise.all(loud.map(flood));
    await quiet.publishAsync('quiet', read(0), { qos: 1 });
    isQuietHeard = true;
    await flooding;
    // A second's worth at once, and the others at a hundred a second; a machine that is slow by itself is held up less.
    // What is still due when the last message is committed comes with the next one.
    expect(performance.now() - began).to.be.at.least(2_000);
    await publish(loud[0] as MqttClient);
    expect(await countersOf('loud')).to.include({ messages: sent });
    expect((await countersOf('loud'))?.throttled_ms).to.be.above(0);
    expect(await countersOf('quiet')).to.include({ messages: 1, throttled_ms: 0 });
    expect(lines.filter(({ msg }) => msg.startsWith('Reader exceeds'))).to.have.nested.property(
      '[0].reader',
      'loud',
    );
    await stop();
  });

  it('is counted in reads, too: few messages with many of them slow it down as many messages do', async () => {
    const { connect, lines, stop } = await start({ READER_READS_PER_SECOND: 300 });
    const [loud, quiet] = [await connect('loud'), await connect('quiet')];
    const before = (await countersOf('loud')) ?? { messages: 0, throttled_ms: 0 };
    const filling = 'x'.repeat(20);
    const message = (number: number) =>
      JSON.stringify({
        reads: Array.from({ length: 300 }, (_, at) => ({ value: `UNKNOWN-${at}`, filling, number })),
      });
    const began = performance.now();
    let sent = 0;
    let isQuietHeard = false;
    const flood = async () => {
      while (sent < 5 || !isQuietHeard) {
        await loud.publishAsync('loud', message(sent++), { qos: 1 });
      }
    };
    const flooding = flood();
    await quiet.publishAsync('quiet', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    isQuietHeard = true;
    await flooding;
    // 1,500 reads, of which two messages' are acknowledged at once: the others take 3 s on any machine, as each message is
    // sent when the one before is acknowledged. A slow machine records 300 a second, too.
    expect(performance.now() - began).to.be.at.least(2_000);
    await loud.publishAsync('loud', message(sent++), { qos: 1 });
    const after = await countersOf('loud');
    expect((after?.throttled_ms ?? 0) - before.throttled_ms).to.be.above(0);
    expect((after?.messages ?? 0) - before.messages).to.equal(sent);
    expect(await countersOf('quiet')).to.include({ throttled_ms: 0 });
    expect(lines.some(({ msg }) => msg.includes('READER_READS_PER_SECOND'))).to.equal(true);
    await stop();
  });

  it('is charged for the first of many tiny packets before the rest is handled', async () => {
    const { connect, port, stop } = await start({ READER_MESSAGES_PER_SECOND: 100 });
    const quiet = await connect('quiet');
    const sockets = Array.from({ length: 8 }, () => createConnection(port, '127.0.0.1'));
    let answered = 0;
    await Promise.all(
      sockets.map(async (socket, number) => {
        const password = Buffer.from('loud');
        socket.write(
          generate({ cmd: 'connect', clientId: `tiny-${number}`, clean: true, username: 'loud', password }),
        );
        await once(socket, 'data');
        socket.on('data', (bytes: Buffer) => {
          answered += bytes.length / PINGRESP_BYTES;
        });
        socket.write(Buffer.alloc(PINGS * 2, Buffer.from([0xc0, 0])));
      }),
    );
    await until(() => answered > 0);
    await quiet.publishAsync('quiet', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    expect(answered).to.be.below((sockets.length * PINGS) / 8);
    for (const socket of sockets) {
      socket.destroy();
    }
    await stop();
  });

  it('leaves the others their pace when four connections of it send junk of 1 MiB', async () => {
    // What else goes on at the machine may slow down one of the two; so the best of a few attempts counts.
    const attempts: Awaited<ReturnType<typeof flooded>>[] = [];
    do {
      attempts.push(await flooded());
    } while (attempts.length < 4 && !isAtItsPace(attempts.at(-1)));
    expect(isAtItsPace(attempts.at(-1)), JSON.stringify(attempts)).to.equal(true);
  });

  const isAtItsPace = (figures: Awaited<ReturnType<typeof flooded>> | undefined) =>
    figures !== undefined &&
    figures.during.median / Math.max(figures.before.median, figures.after.median) < 3 &&
    figures.during.p90 / Math.max(figures.before.p90, figures.after.p90) < 5;

  /** How long a message of another reader takes, in milliseconds, before, while and after one sends junk. */
  async function flooded() {
    const { connect, stop } = await start();
    const quiet = await connect('quiet');
    const measure = async (count: number) => {
      const took: number[] = [];
      for (let number = 0; number < count; number++) {
        const began = performance.now();
        await quiet.publishAsync('quiet', JSON.stringify({ value: 'E2801160', rssi: -number }), { qos: 1 });
        took.push(performance.now() - began);
      }
      took.sort((a, b) => a - b);
      const at = (share: number) => took[Math.floor(share * (count - 1))] as number;
      return { median: at(0.5), p90: at(0.9), worst: at(1) };
    };
    await measure(20);
    const before = await measure(60);
    const junk = Buffer.alloc(1024 * 1024, '[1,');
    let isOver = false;
    let sent = 0;
    const flood = async (client: MqttClient) => {
      while (!isOver) {
        await client.publishAsync('loud', junk, { qos: 1 });
        sent += 1;
      }
    };
    const loud = await Promise.all(['a', 'b', 'c', 'd'].map((id) => connect('loud', id)));
    const flooding = loud.map((client) => flood(client).catch(() => {}));
    const during = await measure(150);
    isOver = true;
    await Promise.all(flooding);
    const after = await measure(60);
    expect(sent).to.be.greaterThan(0);
    await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
    await stop();
    return { before, during, after, sent };
  }
});

const PINGS = 32_000;
const PINGRESP_BYTES = 2;
