import { once } from 'node:events';
import { type ChannelModel, connect } from 'amqplib';
import { Link } from '../support/link.ts';
import type { RabbitCluster } from '../support/rabbitmq.ts';
import type { IngestProgram } from './ingest-program.ts';
import { indexOf } from './traffic.ts';

/**
 * A queue that gets a copy of every message, so that it can be said how often RabbitMQ took each: a reader that has no
 * answer sends again, and that is another message. Its name is one that ingestion's login may use.
 */
const WITNESS = 'tagtrail-readers-99';

const QUEUES = 8;

/** @returns the version of RabbitMQ. */
export async function placeWitness(cluster: RabbitCluster): Promise<string> {
  const model = await connectTo(cluster);
  const channel = await model.createChannel();
  await channel.assertQueue(WITNESS, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.bindQueue(WITNESS, 'amq.topic', '#');
  const { version } = model.connection.serverProperties;
  await model.close();
  return version;
}

/** Indexes of the messages that RabbitMQ took, each as often as it did. */
export async function witnessed(cluster: RabbitCluster): Promise<number[]> {
  const model = await connectTo(cluster);
  const channel = await model.createChannel();
  const { messageCount } = await channel.checkQueue(WITNESS);
  const found: number[] = [];
  await channel.prefetch(1_000);
  await channel.consume(WITNESS, (message) => {
    if (message !== null) {
      found.push(indexOf(message.content) ?? -1);
      channel.ack(message);
      if (found.length === messageCount) {
        channel.emit('counted');
      }
    }
  });
  if (found.length < messageCount) {
    await once(channel, 'counted');
  }
  await model.close();
  return found;
}

/** Whether nothing waits in the queues, nor in ingestion. */
export async function areDrained(cluster: RabbitCluster, ingest: readonly IngestProgram[]): Promise<boolean> {
  const held = await Promise.all(ingest.map((program) => program.figure('held_messages')));
  const model = await connectTo(cluster);
  const channel = await model.createChannel();
  const queues = await Promise.all(
    Array.from({ length: QUEUES }, (_, index) => channel.checkQueue(`tagtrail-readers-${index}`)),
  );
  await model.close();
  return held.every((each) => each === 0) && queues.every(({ messageCount }) => messageCount === 0);
}

/** A network in which each connection leads to the next node that is not away. */
export function roundRobin(cluster: RabbitCluster, away: ReadonlySet<number>): Promise<Link> {
  let connections = 0;
  return Link.open({
    host: '127.0.0.1',
    get port() {
      const there = cluster.nodes.filter((_, index) => !away.has(index));
      connections += 1;
      return there[connections % there.length]?.mqttPort ?? 0;
    },
  });
}

function connectTo(cluster: RabbitCluster): Promise<ChannelModel> {
  return connect(cluster.urls.split(' ')[0] as string);
}
