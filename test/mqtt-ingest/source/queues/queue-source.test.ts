import { readFileSync } from 'node:fs';
import { type ConfirmChannel, connect } from 'amqplib';
import { expect } from 'chai';
import mqtt from 'mqtt';
import type {
  BrokerConnection,
  Delivery,
} from '../../../../services/mqtt-ingest/source/broker-connection.ts';
import { MOST_HELD, MOST_WAITING } from '../../../../services/mqtt-ingest/source/held-messages.ts';
import {
  type QueueAddress,
  QueueRefused,
  queueAddresses,
} from '../../../../services/mqtt-ingest/source/queue-address.ts';
import { openQueueConnection } from '../../../../services/mqtt-ingest/source/queues/queue-connection.ts';
import { certificateFile } from '../../../support/certificates.ts';
import { useDatabase } from '../../../support/database.ts';
import { Link } from '../../../support/link.ts';
import { useProgram } from '../../../support/programs.ts';
import { ENCODED_VHOST, RabbitCluster } from '../../../support/rabbitmq.ts';
import { Site } from '../../../support/site.ts';
import { type RunningIngest, startIngestOn, until } from '../../../support/subscribed-ingest.ts';

const QUEUES = 4;

describe('ingestion from the queues of RabbitMQ', () => {
  useProgram('rabbitmq-server');
  const database = useDatabase();
  let cluster: RabbitCluster;
  let link: Link;
  let ingest: RunningIngest;
  let reader: mqtt.MqttClient;
  /** The one that portal-1 belongs to. */
  let queue: string;
  let others: { end(): Promise<unknown> }[] = [];

  const start = async () => {
    const { amqpPort } = cluster.nodes[0] as (typeof cluster.nodes)[number];
    ingest = await startIngestOn(database, 'mqtt://rabbitmq', {
      AMQP_URL: cluster.urls.replace(String(amqpPort), String(link.port)),
    });
    await until(() => {
      const { subscribed, refused, sessions } = ingest.subscriber.figures();
      return subscribed === 2 && refused === 1 && sessions === QUEUES;
    });
  };
  const login = async (name: string, options: mqtt.IClientOptions = {}) => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${cluster.nodes[0]?.mqttPort}`, {
      ...{ username: name, password: name, protocolVersion: 4, reconnectPeriod: 0, ...options },
    });
    others.push({ end: () => client.endAsync(true) });
    return client;
  };
  const publish = (antenna: number) =>
    reader.publishAsync('portal-1', JSON.stringify({ value: 'E280', antenna }), { qos: 1 });
  const path = async () => {
    const rows = await database.rows<{ place: string }>(
      `select place.external_key as place from location_transitions move
       join locations place on place.id = move.location_id order by move.observed_at`,
    );
    return rows.map(({ place }) => place).join(' ');
  };
  const scans = async () => (await database.rows('select from scan_events')).length;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.asset('BOX', 'E281');
    const places = [await site.location('DOCK'), await site.location('YARD')];
    queue = `tagtrail-readers-${(await site.reader('portal-1', places)) % QUEUES}`;
    await site.reader('portal-2', places);
    await site.reader('portal-3', places, { topic: 'site.3' });
    cluster = await RabbitCluster.start(1, ['portal-1', 'portal-2']);
    link = await Link.open({ host: '127.0.0.1', port: cluster.nodes[0]?.amqpPort ?? 0 });
    await start();
    reader = await login('portal-1');
  });
  const leave = async () => {
    await Promise.all(others.map((other) => other.end()));
    others = [];
  };
  database.beforeDrop(async () => {
    await ingest?.stop();
    await leave();
    await link?.close();
    await cluster?.remove();
  });

  it('records what a reader publishes by MQTT, in its order', async () => {
    await Promise.all([1, 2, 1].map(publish));
    await until(async () => (await scans()) === 3);
    expect(await path()).to.equal('DOCK YARD DOCK');
  });

  it('finds in the queue what came while there was no ingestion', async () => {
    await ingest.stop();
    await publish(2);
    await start();
    await until(async () => (await scans()) === 4);
    expect(await path()).to.equal('DOCK YARD DOCK YARD');
  });

  it('records a message once that is delivered again, and what another says in the same words', async () => {
    const channel = await stampedChannel();
    const publishStamped = async (antenna: number, stamp: number) => {
      const content = Buffer.from(JSON.stringify({ value: 'E280', antenna }));
      channel.publish('amq.topic', 'portal-1', content, { headers: { timestamp_in_ms: stamp } });
      await channel.waitForConfirms();
    };
    const before = await scans();
    await publishStamped(1, 1);
    await publishStamped(2, 2);
    await until(async () => (await scans()) === before + 2);
    const { received, connections } = ingest.subscriber.figures();
    const holding = await database.pool.connect();
    await holding.query('begin');
    await holding.query('lock table scan_events in exclusive mode');
    await publishStamped(1, 3);
    await until(() => ingest.subscriber.figures().received >= received + 1);
    link.cut();
    link.mend();
    await until(() => ingest.subscriber.figures().received >= received + 2);
    await holding.query('commit');
    holding.release();
    await until(() => ingest.subscriber.figures().heldMessages === 0);
    expect(await scans()).to.equal(before + 3);
    expect(await path()).to.match(/ DOCK YARD DOCK$/);
    expect(ingest.subscriber.figures().connections).to.be.above(connections);
  });

  it('holds no more bytes than there is room for, however large the messages', async () => {
    const before = ingest.subscriber.figures();
    const holding = await database.pool.connect();
    await holding.query('begin');
    await holding.query('lock table scan_events in exclusive mode');
    const content = JSON.stringify({ value: 'E280', antenna: 1, note: 'x'.repeat(LARGE) });
    await Promise.all(
      Array.from({ length: MANY }, () => reader.publishAsync('portal-1', content, { qos: 1 })),
    );
    await until(() => ingest.subscriber.figures().heldBytes >= MOST_WAITING.bytes);
    expect(ingest.subscriber.figures().heldBytes).to.be.below(
      MOST_WAITING.bytes + MOST_HELD.bytes + 2 * LARGE,
    );
    expect(ingest.subscriber.figures().received - before.received).to.be.below(MANY);
    await holding.query('commit');
    holding.release();
    await until(() => ingest.subscriber.figures().committed >= before.committed + MANY);
  });

  it('goes over TLS, with its certificate, to a node that the authority vouches for', async () => {
    const { amqpsPort } = cluster.nodes[0] as (typeof cluster.nodes)[number];
    const open = (files: { ca?: string; cert?: string; key?: string }) => {
      const vhost = encodeURIComponent(ENCODED_VHOST);
      const [address] = queueAddresses(`amqps://tagtrail:tagtrail@localhost:${amqpsPort}/${vhost}`);
      const tls = Object.entries(files).map(([name, file]) => [name, readFileSync(certificateFile(file))]);
      return openQueueConnection({
        ...{ address: address as QueueAddress, tls: Object.fromEntries(tls), queue: null, keepalive: 10 },
        ...{ receiveMaximum: 1, signal: new AbortController().signal, onDelivery: () => false },
      });
    };
    const files = { ca: 'ca.crt', cert: 'client.crt', key: 'client.key' };
    await (await open(files)).close();
    for (const wrong of [
      { ...files, ca: 'impostor.crt' },
      { cert: files.cert, key: files.key },
      { ca: files.ca },
    ]) {
      expect(await open(wrong).catch((error: unknown) => error)).to.be.instanceOf(Error);
    }
  });

  it('acknowledges what is done when it leaves, and later in vain', async () => {
    const taken: Delivery[] = [];
    const open = () =>
      openQueue({
        onDelivery: (delivery) => {
          taken.push(delivery);
          delivery.proceed();
          return true;
        },
      });
    const first = await open();
    await first.subscribe(['portal-2']);
    const other = await login('portal-2');
    await other.publishAsync('portal-2', 'x', { qos: 1 });
    await until(() => taken.length === 1);
    const closing = first.close();
    taken[0]?.acknowledge();
    await closing;
    await first.ended;
    const second = await open();
    await until(() => taken.length === 2);
    expect([first.isResumed, second.isResumed, taken[1]?.message.isDup]).to.deep.equal([false, true, true]);
    taken[1]?.acknowledge();
    await second.close();
    const third = await open();
    await other.publishAsync('portal-2', 'y', { qos: 1 });
    await until(() => taken.length === 3);
    expect(String(taken[2]?.message.payload)).to.equal('y');
    taken[2]?.acknowledge();
    await third.unsubscribe(['portal-2']);
    await third.close();
    await until(() => ingest.subscriber.figures().heldMessages === 0);
  });

  it('names the queue, and what its login may not do with it', async () => {
    const opening = openQueue({ login: 'portal-1', onDelivery: () => true });
    const error = await opening.catch((each: unknown) => each);
    expect(error).to.be.instanceOf(QueueRefused);
    expect((error as Error).message).to.match(/^queue tagtrail-readers-98: .*ACCESS_REFUSED/);
  });

  it('says when the broker has lost a queue, and makes it anew', async () => {
    const { connections } = ingest.subscriber.figures();
    const channel = await stampedChannel('tagtrail');
    await channel.deleteQueue(queue);
    await until(() => ingest.subscriber.figures().connections > connections);
    await until(() => ingest.subscriber.figures().subscribed === 2);
    const lost = () =>
      database.rows('select from broker_sessions where client_id = $1 and forgotten_at is not null', [queue]);
    await until(async () => (await lost()).length === 1);
    const before = await scans();
    await publish(1);
    await until(async () => (await scans()) === before + 1);
  });

  it('lets a reader publish to its topic, and read nothing and publish nothing else', async () => {
    const taken = ingest.subscriber.figures().received;
    const intruder = await login('portal-2');
    const ended = new Promise((resolve) => intruder.once('close', () => resolve(null)));
    intruder.publish('portal-1', JSON.stringify({ value: 'E280', antenna: 1 }), { qos: 1 });
    await ended;
    const curious = await login('portal-2');
    const shut = new Promise((resolve) => curious.once('close', () => resolve(null)));
    const answer = curious.subscribeAsync('portal-1', { qos: 1 }).catch(() => null);
    const granted = await Promise.race([shut, answer]);
    expect(JSON.stringify(granted ?? null)).to.not.contain('"qos":1');
    const honest = await login('portal-2');
    await honest.publishAsync('portal-2', JSON.stringify({ value: 'E280', antenna: 1 }), { qos: 1 });
    await until(() => ingest.subscriber.figures().received > taken);
    expect(ingest.subscriber.figures().received).to.equal(taken + 1);
    // The next test counts scans.
    await until(() => ingest.subscriber.figures().heldMessages === 0);
  });

  it('finds what waits in its queues, whatever client id a reader connected by', async () => {
    const before = await scans();
    await ingest.stop();
    await Promise.all([1, 2].map(publish));
    for (const clientId of [queue, `mqtt-subscription-${queue}`, `mqtt-subscription-${queue}qos1`]) {
      for (const clean of [true, false]) {
        const intruder = await login('portal-2', { clientId, clean }).catch(() => null);
        // Who is refused may not be told, and is cut off.
        const ended = new Promise((resolve) => intruder?.once('close', () => resolve(null)));
        await Promise.race([ended, intruder?.subscribeAsync('portal-1', { qos: 1 }).catch(() => null)]);
      }
    }
    await start();
    await until(async () => (await scans()) >= before + 2);
    expect(await scans()).to.equal(before + 2);
  });

  it('is let in again, as readers are, by a node that was started again', async () => {
    await leave();
    const { figures } = ingest.subscriber;
    await cluster.nodes[0]?.stop();
    await until(() => !figures().isConnected);
    await cluster.nodes[0]?.start();
    await until(() => {
      const { isConnected, subscribed, sessions } = figures();
      return isConnected && subscribed === 2 && sessions === QUEUES;
    });
    reader = await login('portal-1');
    await reader.publishAsync('portal-1', JSON.stringify({ value: 'E281', antenna: 2 }), { qos: 1 });
    await until(async () => {
      const rows = await database.rows(`select from scan_events where tag_value = 'E281'`);
      return rows.length === 1;
    });
  });

  function openQueue({
    login = 'tagtrail',
    onDelivery,
  }: {
    login?: string;
    onDelivery(delivery: Delivery): boolean;
  }): Promise<BrokerConnection> {
    const [address] = queueAddresses(cluster.urls);
    return openQueueConnection({
      address: { ...(address as QueueAddress), username: login, password: login },
      tls: {},
      queue: 'tagtrail-readers-98',
      keepalive: 15,
      receiveMaximum: 10,
      signal: new AbortController().signal,
      onDelivery,
    });
  }

  /** Publishes as RabbitMQ would hand it on, with its note of the time, which 3.10 does not make. */
  async function stampedChannel(user = 'portal-1'): Promise<ConfirmChannel> {
    const connection = await connect(`amqp://${user}:${user}@127.0.0.1:${cluster.nodes[0]?.amqpPort}`);
    others.push({ end: () => connection.close() });
    return connection.createConfirmChannel();
  }
});

const LARGE = 1_000_000;
const MANY = 40;
