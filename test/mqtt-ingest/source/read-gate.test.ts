import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { generate, parser } from 'mqtt-packet';
import { startEmbeddedBroker } from '../../../services/mqtt-ingest/source/embedded-broker.ts';
import { HeldMessages } from '../../../services/mqtt-ingest/source/held-messages.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('a reader that goes on publishing while the database is away', () => {
  const database = useDatabase();

  it('is read no further than what waits, though each message comes by itself, and loses none', async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [await site.location('DOCK')]);
    const intake = await openIntake(database);
    const held = new HeldMessages({ messages: 10, bytes: 1_000_000 });
    const broker = await startEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      intake: {
        receive: ({ topic, payload }) => intake.receive(topic, Buffer.from(payload)),
        drain: async () => {},
        settledUpTo: () => 0,
        slow: 0,
      },
      registry: intake.registry,
      quota: { messagesPerSecond: 2_000, bytesPerSecond: 4_194_304, readsPerSecond: 10_000 },
      onRefused: () => {},
      onThrottled: () => {},
      onConnected: () => {},
      onDisconnected: () => {},
      held,
    });
    const blocker = await database.pool.connect();
    await blocker.query('begin; lock table scan_events in access exclusive mode');

    const socket = createConnection(broker.port, '127.0.0.1');
    socket.setNoDelay(true);
    const acknowledged = new Set<number>();
    const answers = parser().on('packet', (packet) => {
      if (packet.cmd === 'puback') {
        acknowledged.add(packet.messageId ?? 0);
      }
    });
    socket.on('data', (bytes) => answers.parse(bytes));
    socket.write(
      generate({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        clientId: 'portal',
        keepalive: 0,
        username: 'portal',
        password: Buffer.from('portal'),
      }),
    );
    await once(socket, 'data');
    let mostWaiting = 0;
    for (let messageId = 1; messageId <= MESSAGES; messageId++) {
      const payload = JSON.stringify({ value: 'E2801160', rssi: -messageId, filling: 'x'.repeat(BYTES) });
      const packet = { topic: 'portal', payload, qos: 1, messageId, dup: false, retain: false } as const;
      socket.write(generate({ cmd: 'publish', ...packet }));
      await pause(1);
      mostWaiting = Math.max(mostWaiting, held.waiting.messages);
    }
    const during = { acknowledged: acknowledged.size, held: held.messages };
    await blocker.query('commit');
    blocker.release();
    // One reader may hold three quarters of the room.
    expect(during).to.deep.equal({ acknowledged: 0, held: 8 });
    // What one look into the buffer of a connection finds, of 128 KiB and a piece.
    expect(mostWaiting).to.be.within(1, 250);

    await until(() => acknowledged.size === MESSAGES);
    expect(await database.rows('select from scan_events')).to.have.length(MESSAGES);
    socket.destroy();
    await broker.stop(async () => {});
  });
});

const MESSAGES = 1_500;
const BYTES = 1_000;
