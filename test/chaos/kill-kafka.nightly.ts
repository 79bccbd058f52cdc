import { Admin, Consumer, Producer } from '@platformatic/kafka';
import { expect } from 'chai';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { useDatabase } from '../support/database.ts';
import { KafkaNode } from '../support/kafka.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { useProgram } from '../support/programs.ts';
import { until } from '../support/subscribed-ingest.ts';
import { findFaults, NO_FAULTS } from './findings.ts';
import { furnish } from './furnish.ts';
import { IngestProgram } from './ingest-program.ts';
import { Tap } from './tap.ts';
import { messageOf, payloadOf, readerName, type Traffic } from './traffic.ts';

const TRAFFIC: Traffic = {
  seed: 1,
  start: (Date.now() - 5 * 86_400_000) * 1_000,
  readers: 8,
  assets: 200,
  messages: 2_000,
  readsPerMessage: 10,
  timelessEvery: 5,
  undecodableEvery: 100,
  refusedEvery: 300,
};
const KILLS = 6;
const PARTITIONS = 4;

describe('Kafka and two processes of ingestion killed in the middle of the records', () => {
  useProgram('java', 'mvn');
  const broker = useMosquitto();
  const database = useDatabase();

  it('lose nothing, and double nothing, with or without times', async function () {
    this.timeout(1_200_000);
    await using stops = new AsyncDisposableStack();
    await furnish(database, TRAFFIC);
    const kafka = await KafkaNode.start();
    stops.defer(() => kafka.remove());
    const client = { clientId: 'test', bootstrapBrokers: [`127.0.0.1:${kafka.port}`], retries: true };
    const admin = new Admin(client);
    stops.defer(() => admin.close());
    await until(() =>
      admin.createTopics({ topics: ['readers'], partitions: PARTITIONS, replicas: 1 }).then(
        () => true,
        () => false,
      ),
    );
    const programs = ['one', 'two'].map((name) =>
      IngestProgram.subscribed(broker.url, name, {
        DATABASE_URL: database.url,
        KAFKA_URL: kafka.url,
        KAFKA_TOPICS: 'readers',
      }),
    );
    for (const program of programs) {
      await program.start();
      stops.defer(() => program.kill());
    }

    const producer = new Producer(client);
    stops.defer(() => producer.close(true));
    const witness = new Consumer({ ...client, groupId: 'tagtrail' });
    stops.defer(() => witness.close(true));
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    const passed = async () => {
      const offsets = await witness
        .listCommittedOffsets({ topics: [{ topic: 'readers', partitions }] })
        .catch(() => new Map<string, bigint[]>());
      return Number((offsets.get('readers') ?? []).reduce((sum, each) => sum + (each < 0n ? 0n : each), 0n));
    };
    const tap = new Tap();
    const acknowledged = new Set<number>();
    const produce = async (from: number, to: number) => {
      const indexes = Array.from({ length: to - from }, (_, at) => from + at);
      await producer.send({
        messages: indexes.map((index) => {
          const message = messageOf(TRAFFIC, index);
          const [key, value] = [readerName(message.reader), payloadOf(message)].map((text) =>
            Buffer.from(text),
          );
          return { topic: 'readers', partition: message.reader % PARTITIONS, key, value } as never;
        }),
      });
      for (const index of indexes) {
        acknowledged.add(index);
      }
    };
    const share = TRAFFIC.messages / (KILLS + 1);
    for (let kill = 0; kill < KILLS; kill++) {
      await produce(Math.floor(kill * share), Math.floor((kill + 1) * share));
      const before = await passed();
      await until(async () => (await passed()) > before || before >= acknowledged.size);
      if (kill % 3 === 2) {
        await kafka.kill();
        await kafka.begin();
      } else {
        const program = programs[kill % 2] as IngestProgram;
        await program.kill();
        await program.start();
      }
    }
    await produce(Math.floor(KILLS * share), TRAFFIC.messages);
    await until(async () => (await passed()) === TRAFFIC.messages);
    for (const program of programs) {
      await program.stop();
    }

    for (const index of acknowledged) {
      tap.noteAnswer(index);
    }
    const publishers = {
      acknowledged,
      published: acknowledged.size,
      disconnects: 0,
      publish: async () => {},
      end: async () => {},
    };
    const findings = await inTransaction(database.pool, (session) =>
      findFaults(session, {
        ...{ traffic: TRAFFIC, tap, publishers, feed: null, webhooks: null, republished: 0 },
      }),
    );
    expect(findings.faults).to.deep.equal(NO_FAULTS);
  });
});
