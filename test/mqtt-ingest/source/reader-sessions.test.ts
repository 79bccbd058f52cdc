import { createConnection } from 'node:net';
import { expect } from 'chai';
import { generate, type Packet, parser } from 'mqtt-packet';
import {
  type EmbeddedBroker,
  startEmbeddedBroker,
} from '../../../services/mqtt-ingest/source/embedded-broker.ts';
import { ReaderSessions } from '../../../services/mqtt-ingest/source/reader-sessions.ts';
import { readersLog } from '../../../services/mqtt-ingest/source/readers-log.ts';
import { useDatabase } from '../../support/database.ts';
import { closed, connected, connectReader } from '../../support/ingest.ts';
import { openIntake } from '../../support/intake.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';

describe('sessions of readers at the embedded broker', () => {
  const database = useDatabase();
  const log = recordedLog();
  let broker: EmbeddedBroker;

  before(async () => {
    const site = await Site.create(database);
    await site.reader('portal', [await site.location('DOCK')]);
    const intake = await openIntake(database);
    broker = await startEmbeddedBroker({
      ...{ host: '127.0.0.1', port: 0, registry: intake.registry },
      intake: {
        receive: ({ topic, payload }) => intake.receive(topic, Buffer.from(payload)),
        drain: async () => {},
        settledUpTo: () => 0,
        slow: 0,
      },
      quota: { messagesPerSecond: 100_000, bytesPerSecond: 1e9, readsPerSecond: 100_000 },
      ...readersLog(log.log, intake.registry),
    });
    database.beforeDrop(() => broker.stop(async () => {}));
  });

  it('keep so many publishes that are never released, however many sessions one login opens', async () => {
    for (let session = 0; session < 110; session++) {
      const socket = createConnection(broker.port, '127.0.0.1');
      const login = { clientId: `s-${session}`, username: 'portal', password: Buffer.from('portal') };
      const connect: Packet = {
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: false,
        keepalive: 0,
        ...login,
      };
      const answers = Promise.withResolvers<void>();
      let records = 0;
      const reading = parser();
      reading.on('packet', ({ cmd }) => {
        records += Number(cmd === 'pubrec');
        if (records === 3) {
          answers.resolve();
        }
      });
      socket.on('data', (bytes) => reading.parse(bytes));
      socket.write(generate(connect));
      for (const messageId of [1, 2, 3]) {
        const publish = { topic: 'portal', payload: '{}', dup: false, retain: false };
        socket.write(generate({ cmd: 'publish', qos: 2, messageId, ...publish }));
      }
      await answers.promise;
      socket.destroy();
    }
    expect(broker.figures().unreleased).to.be.within(3, 300);
  });

  it('refuse a will that is too large, and say why', async () => {
    const will = { topic: 'portal', payload: Buffer.alloc(9_000, 'x'), qos: 0 as const, retain: false };
    const refused = await connected(connectReader(broker.port, 'portal', { will })).then(
      () => 'taken',
      () => 'ended',
    );
    expect(refused).to.equal('ended');
    expect(JSON.stringify(log.lines)).to.include('a will of 9000 bytes is over the limit of 8192');
  });

  it('are told, once a minute, where two devices take them from each other', async () => {
    log.lines.length = 0;
    const before = broker.figures().takenOver;
    const [other, one] = await Promise.all(
      ['other', 'one'].map(async (clientId) => {
        const client = connectReader(broker.port, 'portal', { clientId });
        await connected(client);
        return client;
      }),
    );
    let holder = one;
    for (let time = 0; time < 20; time += 1) {
      const ended = holder && closed(holder);
      holder = connectReader(broker.port, 'portal', { clientId: 'one' });
      await connected(holder);
      await ended;
    }
    expect(other?.connected).to.equal(true);
    expect(broker.figures().takenOver - before).to.equal(20);
    const lines = log.lines.filter(({ msg }) => String(msg).includes('give two devices two logins'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ reader: 'portal', earlier: '127.0.0.1', later: '127.0.0.1', times: 1 });
    await Promise.all([other, holder].map((client) => client?.endAsync()));
    const again = connectReader(broker.port, 'portal', { clientId: 'one' });
    await connected(again);
    await again.endAsync();
    expect(broker.figures().takenOver - before).to.equal(20);
  });

  it('end when nobody resumes them for an hour, or when their login opens too many others', async () => {
    let now = 0;
    const sessions = new ReaderSessions(() => now);
    const isKept = (id: string) =>
      sessions.incomingGetPacket({ id }, { messageId: 1 }).then(
        () => true,
        () => false,
      );
    for (let at = 0; at < 101; at++) {
      await sessions.incomingStorePacket({ id: `a/${at}` }, { messageId: 1 });
    }
    await sessions.incomingStorePacket({ id: 'b/0' }, { messageId: 1 });
    expect([await isKept('a/0'), await isKept('a/1'), await isKept('b/0')]).to.deep.equal([
      false,
      true,
      true,
    ]);
    now = 3_600_000;
    await sessions.incomingStorePacket({ id: 'c/0' }, { messageId: 1 });
    expect(sessions.unreleased).to.equal(1);
    await sessions.incomingDelPacket({ id: 'c/0' }, { messageId: 1 });
    expect(sessions.unreleased).to.equal(0);
  });

  it('hold no more than a thousand unreleased publishes each', async () => {
    const sessions = new ReaderSessions();
    for (let messageId = 1; messageId <= 1_000; messageId++) {
      await sessions.incomingStorePacket({ id: 'a/0' }, { messageId });
    }
    const more = await sessions.incomingStorePacket({ id: 'a/0' }, { messageId: 1_001 }).catch(String);
    expect(more).to.include('1000 QoS 2 publishes were never released');
  });
});
