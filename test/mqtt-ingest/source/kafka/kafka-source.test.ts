import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Intake } from '../../../../services/mqtt-ingest/intake/intake.ts';
import { startKafkaSource } from '../../../../services/mqtt-ingest/source/kafka/kafka-source.ts';

describe('Kafka that is not there', () => {
  it('is named with its address and the reason', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const source = startKafkaSource({
      address: {
        ...{ brokers: [{ host: '127.0.0.1', port }], topics: ['readers'], group: 'tagtrail' },
        ...{ login: null, tls: null },
      },
      clientId: 'test',
      // No record comes.
      intake: {} as Intake,
      registry: { byTopic: () => undefined },
      log: pino({ level: 'silent' }),
    });
    try {
      const reason = async () => source.requireConnected().catch(({ message }) => String(message));
      while (/not connected yet/.test(String(await reason()))) {
        await pause(50);
      }
      expect(await reason()).to.equal(`not connected to Kafka: connect ECONNREFUSED 127.0.0.1:${port}`);
    } finally {
      await source.stop(0);
    }
  });
});
