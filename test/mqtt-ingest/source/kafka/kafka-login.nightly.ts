import { Admin, Producer } from '@platformatic/kafka';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../../../platform/runtime/lifecycle.ts';
import { readSettings } from '../../../../platform/runtime/settings.ts';
import { startEmbeddedIngest } from '../../../../services/mqtt-ingest/ingest.ts';
import {
  faultOfKafka,
  KAFKA_SETTINGS,
  kafkaOf,
} from '../../../../services/mqtt-ingest/source/kafka/kafka-settings.ts';
import { startKafkaSource } from '../../../../services/mqtt-ingest/source/kafka/kafka-source.ts';
import { certificateFile } from '../../../support/certificates.ts';
import { useDatabase } from '../../../support/database.ts';
import { ingestConfig } from '../../../support/ingest.ts';
import { KAFKA_LOGIN, KafkaNode } from '../../../support/kafka.ts';
import { useProgram } from '../../../support/programs.ts';
import { Site } from '../../../support/site.ts';
import { until } from '../../../support/subscribed-ingest.ts';

describe('Kafka with TLS and logins', function () {
  this.timeout(300_000);
  useProgram('java', 'mvn');
  const database = useDatabase();
  const log = pino({ level: 'silent' });
  let kafka: KafkaNode;
  let producer: Producer;

  before(async () => {
    kafka = await KafkaNode.start();
    const client = { clientId: 'test', bootstrapBrokers: [`127.0.0.1:${kafka.port}`], retries: true };
    const admin = new Admin(client);
    await until(() =>
      admin.createTopics({ topics: ['readers'], partitions: 1, replicas: 1 }).then(
        () => true,
        () => false,
      ),
    );
    await admin.close();
    producer = new Producer(client);
  });
  after(async () => {
    await producer?.close(true);
    await kafka?.remove();
  });

  const settings = (
    sasl: string,
    { password = KAFKA_LOGIN.password, ca = 'ca.crt' as string | null } = {},
  ) => {
    const login = `${KAFKA_LOGIN.username}:${encodeURIComponent(password)}`;
    const environment = {
      KAFKA_URL: `kafkas://${login}@127.0.0.1:${kafka.securePort}`,
      KAFKA_TOPICS: 'readers',
      KAFKA_GROUP: sasl,
      KAFKA_SASL: sasl,
      ...(ca === null ? {} : { KAFKA_CA_FILE: certificateFile(ca) }),
    };
    return readSettings(KAFKA_SETTINGS, environment, [faultOfKafka]);
  };

  for (const sasl of ['plain', 'scram-sha-512']) {
    it(`records what comes by ${sasl}`, async () => {
      const site = await Site.create(database, sasl);
      await site.asset(`PALLET-${sasl}`, 'E28011');
      await site.reader(sasl, [await site.location('DOCK')], { topic: `site/${sasl}` });
      const value = Buffer.from('{"value":"E28011"}');
      const key = Buffer.from(`site/${sasl}`);
      await producer.send({ messages: [{ topic: 'readers', key, value } as never] });
      const config = { ...ingestConfig(database.url, 0, 0), ...settings(sasl) };
      const lifecycle = new Lifecycle(log);
      await startEmbeddedIngest(config, log, lifecycle, { metrics: new Registry() });
      const scans = 'select from scan_events where org_id = $1';
      await until(async () => (await database.rows(scans, [site.orgId])).length === 1);
      await lifecycle.stop();
    });
  }

  const refused: [string, RegExp, Parameters<typeof settings>[1]][] = [
    ['a wrong password', /auth/i, { password: 'wrong' }],
    ['a certificate of others', /certificate/i, { ca: null }],
  ];
  for (const [what, reason, given] of refused) {
    it(`says that it cannot be read because of ${what}`, async () => {
      const address = kafkaOf(settings('scram-sha-512', given));
      const parts = { clientId: 'test', intake: {} as never, registry: { byTopic: () => undefined }, log };
      const source = startKafkaSource({ address: address as NonNullable<typeof address>, ...parts });
      const said = () =>
        source.requireConnected().then(
          () => 'connected',
          ({ message }) => String(message),
        );
      await until(async () => !(await said()).endsWith('not connected yet'));
      expect(await said()).to.match(reason);
      await source.stop(0);
    });
  }
});
