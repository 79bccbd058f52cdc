import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { startEmbeddedBroker } from '../../../services/mqtt-ingest/source/embedded-broker.ts';
import { ReaderConnection } from '../../../services/mqtt-ingest/source/reader-connection.ts';
import { ReaderQuotas } from '../../../services/mqtt-ingest/source/reader-quotas.ts';
import { readersLog } from '../../../services/mqtt-ingest/source/readers-log.ts';
import { useDatabase } from '../../support/database.ts';
import { connectAs, HOSTILE } from '../../support/hostile-sockets.ts';
import { connected, connectReader } from '../../support/ingest.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

/** Everybody here comes from 127.0.0.1, the readers too. */
describe('sockets at the embedded broker that have not signed in', () => {
  const database = useDatabase();
  const ROOM = 50;
  const sockets: Socket[] = [];
  const log = recordedLog();
  let port: number;
  let intake: TestIntake;
  let loads = 0;
  let lookUps = 0;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [await site.location('DOCK')]);
    intake = await openIntake(database);
    const registry = {
      ...intake.registry,
      refresh: () => {
        loads += 1;
        return intake.registry.refresh();
      },
      passwordsInDatabase: (names: readonly string[]) => {
        lookUps += 1;
        return intake.registry.passwordsInDatabase(names);
      },
    };
    const broker = await startEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      intake: {
        receive: ({ topic, payload }) => intake.receive(topic, Buffer.from(payload)),
        drain: async () => {},
        settledUpTo: () => 0,
        slow: 0,
      },
      registry,
      quota: { messagesPerSecond: 2_000, bytesPerSecond: 4_194_304, readsPerSecond: 10_000 },
      mostSockets: { signedIn: ROOM, unauthenticated: ROOM },
      ...readersLog(log.log, registry),
    });
    port = broker.port;
    database.beforeDrop(() => broker.stop(async () => {}));
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
  });

  function open(): Socket {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    sockets.push(socket);
    return socket;
  }
  /** Signs in on a new connection and has a read acknowledged. */
  async function publish(): Promise<void> {
    const reader = connectReader(port, 'portal', { reconnectPeriod: 0 });
    await connected(reader);
    await reader.publishAsync('portal', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    await reader.endAsync(true);
  }

  for (const [what, doIt] of Object.entries(HOSTILE)) {
    it(`keep no reader out when ten times as many as there is room for ${what}`, async () => {
      for (let number = 0; number < ROOM * 10; number++) {
        const socket = open();
        await once(socket, 'connect');
        doIt(socket);
      }
      await publish();
      await publish();
    });
  }

  it('make room for newer ones, and leave readers that have signed in alone', async () => {
    const reader = connectReader(port, 'portal', { reconnectPeriod: 0 });
    await connected(reader);
    const first = open();
    await once(first, 'connect');
    for (let number = 0; number < ROOM; number++) {
      await once(open(), 'connect');
    }
    await once(first, 'close');
    await reader.publishAsync('portal', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    expect(reader.connected).to.equal(true);
    await reader.endAsync(true);
  });

  it('are cut off as soon as what they send cannot be a CONNECT of 64 KiB', async () => {
    const publishOf16MiB = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x07]);
    const connectOf64KiB = Buffer.from([0x10, 0xff, 0xff, 0x03]);
    for (const begin of [publishOf16MiB, connectOf64KiB]) {
      const socket = open();
      socket.write(begin);
      await once(socket, 'close');
    }
  });

  it('have the broker look for all unknown names together, load no reader, and log one line', async () => {
    log.lines.length = 0;
    const known = intake.registry.byUsername('portal');
    const before = lookUps;
    const began = performance.now();
    const STRANGERS = ROOM;
    let refused = 0;
    for (let number = 0; number < STRANGERS; number++) {
      const socket = open();
      socket.once('close', () => {
        refused += 1;
      });
      socket.write(connectAs(`nobody-${number}`));
    }
    await until(() => refused === STRANGERS);
    const seconds = (performance.now() - began) / 1_000;
    expect(lookUps - before).to.be.within(1, Math.ceil(10 * seconds) + 1);
    expect(loads).to.equal(0);
    expect(intake.registry.byUsername('portal')).to.equal(known);
    const lines = log.lines.filter(({ msg }) => msg === 'Reader refused');
    expect(lines.length).to.be.at.most(1);
  });

  it('are told from readers that speak a version which the broker does not, in the log', async () => {
    log.lines.length = 0;
    const socket = open();
    socket.write(connectAs('portal', 'portal', 5));
    await once(socket, 'close');
    const [line] = log.lines.filter(({ msg }) => msg === 'Reader refused');
    expect(line).to.include({ username: 'portal', reason: 'it speaks MQTT 5; set the reader to MQTT 3.1.1' });
  });

  it('are not named in the log by a password that was set as the user name', () => {
    const { log: own, lines } = recordedLog();
    const { onRefused } = readersLog(own, { byUsername: () => undefined });
    onRefused('GG4WcQMecPTZXsSBv-5kDmKBQD95mNoC', 'wrong user name or password');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.have.property('username', 'GG4***');
  });

  it('are read ahead of as little as can be, and readers by 128 KiB', async () => {
    // What Node.js has no public setting for: `ReaderConnection.signIn` relies on it.
    const { promise, resolve } = Promise.withResolvers<[number, number]>();
    const quota = { messagesPerSecond: 2_000, bytesPerSecond: 4_194_304, readsPerSecond: 10_000 };
    const server = createServer({ highWaterMark: 1 }, (socket) => {
      const quotas = new ReaderQuotas(quota);
      const before = socket.readableHighWaterMark;
      new ReaderConnection(socket, quotas, () => {}).signIn('portal', quotas.connect('portal', 1));
      resolve([before, socket.readableHighWaterMark]);
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    createConnection((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    expect(await promise).to.deep.equal([1, 128 * 1024]);
    server.close();
  });
});
