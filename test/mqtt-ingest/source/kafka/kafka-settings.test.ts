import { expect } from 'chai';
import { readSettings } from '../../../../platform/runtime/settings.ts';
import {
  faultOfKafka,
  KAFKA_SETTINGS,
  kafkaOf,
} from '../../../../services/mqtt-ingest/source/kafka/kafka-settings.ts';
import { topicOf } from '../../../../services/mqtt-ingest/source/kafka/kafka-source.ts';

describe('where records of Kafka come from', () => {
  const read = (environment: NodeJS.ProcessEnv) =>
    kafkaOf(readSettings(KAFKA_SETTINGS, environment, [faultOfKafka]));

  it('is nowhere unless it is set, else brokers, topics, group and login', () => {
    expect(read({})).to.equal(null);
    expect(
      read({
        KAFKA_URL: 'kafkas://tag:p%40ss@kafka-1 kafkas://tag:p%40ss@[::1]:9093',
        KAFKA_TOPICS: 'readers, site.dock-2',
        KAFKA_SASL: 'scram-sha-512',
      }),
    ).to.deep.equal({
      brokers: [
        { host: 'kafka-1', port: 9_092 },
        { host: '::1', port: 9_093 },
      ],
      topics: ['readers', 'site.dock-2'],
      group: 'tagtrail',
      login: { mechanism: 'scram-sha-512', username: 'tag', password: 'p@ss' },
      tls: {},
    });
  });

  it('is refused by its setting where it cannot be meant', () => {
    const refused = (environment: NodeJS.ProcessEnv) => () => read(environment);
    expect(refused({ KAFKA_URL: 'kafka://a' })).to.throw('KAFKA_TOPICS');
    expect(refused({ KAFKA_URL: 'kafka://a kafkas://b', KAFKA_TOPICS: 'a' })).to.throw('KAFKA_URL');
    expect(refused({ KAFKA_URL: 'http://a', KAFKA_TOPICS: 'a' })).to.throw('KAFKA_URL');
    expect(refused({ KAFKA_URL: 'kafka://a', KAFKA_TOPICS: 'a/b' })).to.throw('KAFKA_TOPICS');
  });

  it('says the topic of MQTT by a header, else the key, else the topic of Kafka', () => {
    const record = { topic: 'site.dock-2', key: Buffer.from(''), headers: new Map<Buffer, Buffer>() };
    expect(topicOf(record)).to.equal('site/dock-2');
    expect(topicOf({ ...record, key: Buffer.from('gates/1') })).to.equal('gates/1');
    const headers = new Map([[Buffer.from('mqtt-topic'), Buffer.from('gates/2')]]);
    expect(topicOf({ ...record, key: Buffer.from('gates/1'), headers })).to.equal('gates/2');
    expect(topicOf({ ...record, key: Buffer.alloc(1_000_000, 'a/') })).to.have.length(65_535);
  });
});
