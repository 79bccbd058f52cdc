import { once } from 'node:events';
import { type ChannelModel, connect, type Replies } from 'amqplib';
import { Link } from '../support/link.ts';
import type { RabbitCluster } from '../support/rabbitmq.ts';
import { until } from '../support/subscribed-ingest.ts';
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
  let messageCount = 0;
  // 0 is also what RabbitMQ says of a queue that it could not ask in time.
  await until(async () => {
    ({ messageCount } = await channel.checkQueue(WITNESS));
    return messageCount > 0;
  });
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

/**
 * Stops ingestion when it has acknowledged all that was published. RabbitMQ counts only messages that it has handed to nobody;
 * one that a process was handed and has not acknowledged is back in its queue when the process has ended. Then the processes
 * start again and take it, as they do in use.
 */
export async function stopWhenAllIsTaken(
  cluster: RabbitCluster,
  ingest: readonly IngestProgram[],
): Promise<void> {
  for (;;) {
    await until(async () => {
      const queues = await lookAtQueues(cluster);
      const held = await Promise.all(ingest.map((program) => program.figure('held_messages')));
      // For a queue that it cannot ask in time, RabbitMQ says that it has no messages, and no consumers.
      const areEmpty = queues.every((queue) => queue.messageCount === 0 && queue.consumerCount > 0);
      return areEmpty && held.every((messages) => messages === 0);
    });
    for (const program of ingest) {
      await program.stop();
    }
    if ((await countLeft(cluster)) === 0) {
      return;
    }
    for (const program of ingest) {
      await program.start();
    }
  }
}

/** The number of messages in the queues of ingestion, which has ended. */
async function countLeft(cluster: RabbitCluster): Promise<number> {
  let queues: Replies.AssertQueue[] = [];
  await until(async () => {
    queues = await lookAtQueues(cluster);
    return queues.every(({ consumerCount }) => consumerCount === 0);
  });
  return queues.reduce((sum, { messageCount }) => sum + messageCount, 0);
}

async function lookAtQueues(cluster: RabbitCluster): Promise<Replies.AssertQueue[]> {
  const model = await connectTo(cluster);
  const channel = await model.createChannel();
  const queues = await Promise.all(
    Array.from({ length: QUEUES }, (_, index) => channel.checkQueue(`tagtrail-readers-${index}`)),
  );
  await model.close();
  return queues;
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
