import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { Link } from '../support/link.ts';
import { useProgram } from '../support/programs.ts';
import { RabbitCluster, type RabbitNode } from '../support/rabbitmq.ts';
import { itByNight } from '../support/random-sets.ts';
import { until } from '../support/subscribed-ingest.ts';
import { NO_FAULTS } from './findings.ts';
import { furnish } from './furnish.ts';
import { IngestProgram } from './ingest-program.ts';
import { Publishers } from './publishers.ts';
import { type RabbitSetting, runRabbitKills } from './rabbit-kills.ts';
import { stopWhenAllIsTaken } from './rabbit-witness.ts';
import { readerName, type Traffic } from './traffic.ts';

/** Without reads that have no time, which RabbitMQ 3.10, that of Debian 12, does not tell apart. */
const SETTING: RabbitSetting = {
  nodes: 1,
  timelessEvery: Number.POSITIVE_INFINITY,
  undecodableEvery: 100,
  refusedEvery: 300,
};

describe('RabbitMQ and a process of ingestion killed in the middle of the publishes', () => {
  useProgram('rabbitmq-server');
  const database = useDatabase();

  it('lose nothing that was acknowledged, and double nothing', async () => {
    const options = { seed: 1, messages: 600, readsPerMessage: 10, processes: 2, kills: 2 };
    const { findings, ...run } = await runRabbitKills(
      database,
      options,
      new AbortController().signal,
      SETTING,
    );
    expect(findings.faults).to.deep.equal(NO_FAULTS);
    expect(findings.published.messages).to.equal(options.messages);
    expect(run).to.include({ processKills: 1, nodeKills: 1 });
    expect(run.readerDisconnects).to.be.above(0);
  });
});

describe('ingestion that is stopped when it has taken everything', () => {
  useProgram('rabbitmq-server');
  const database = useDatabase();

  itByNight('has taken also what RabbitMQ had handed to a connection that does not get it', async () => {
    const traffic: Traffic = {
      ...SETTING,
      seed: 1,
      start: (Date.now() - 86_400_000) * 1_000,
      readers: 1,
      assets: 10,
      messages: 2,
      readsPerMessage: 10,
    };
    await using stops = new AsyncDisposableStack();
    await furnish(database, traffic);
    const cluster = await RabbitCluster.start(1, [readerName(0)]);
    stops.defer(() => cluster.remove());
    const [node] = cluster.nodes as [RabbitNode];
    const link = await Link.open({ host: '127.0.0.1', port: node.amqpPort });
    stops.defer(() => link.close());
    const ingest = IngestProgram.subscribed('mqtt://rabbitmq', 'ingest-0', {
      DATABASE_URL: database.url,
      AMQP_URL: link.by(cluster.urls),
    });
    await ingest.start();
    stops.defer(() => ingest.kill());
    await until(async () => (await ingest.figure('subscriptions')) === 1);
    const publishers = await Publishers.connect(traffic, node.mqttPort, 20);
    stops.defer(() => publishers.end());
    link.abandon();
    await publishers.publish(1);
    const taken = stopWhenAllIsTaken(cluster, [ingest]);
    await until(() =>
      ingest.figure('held_messages').then(
        () => false,
        () => true,
      ),
    );
    // RabbitMQ would find out by its heartbeat, in a minute.
    link.cut();
    link.mend();
    await taken;
    expect(await database.rows('select reads from reader_counters')).to.deep.equal([{ reads: 10 }]);
  });
});
