import { setTimeout as pause } from 'node:timers/promises';
import type { ListeningBroker } from './listening-broker.ts';
import { PlainConsumer, PlainPublisher } from './plain-clients.ts';

/** Nodes, the first of which is killed, and how those that do not run are started. */
export interface KillableNodes {
  nodes: readonly ListeningBroker[];
  start(): Promise<void>;
}

/** When the node of the consumer is killed. */
export type Moment = 'while publishing' | 'before publishing' | 'once handed over';

/**
 * A client publishes, another at the node that is killed acknowledges what it is handed, and with `isShared` one more at
 * another node shares its subscription.
 *
 * @param name of its clients and its topic.
 * @returns how many messages that the broker had acknowledged never came, with all connected again.
 */
export async function countLost(
  { nodes, start }: KillableNodes,
  { name, messages, isShared, moment }: { name: string; messages: number; isShared: boolean; moment: Moment },
): Promise<number> {
  const [killed, other = killed] = nodes as [ListeningBroker, ...ListeningBroker[]];
  const filter = filterOf(name, isShared);
  await using ends = new AsyncDisposableStack();
  const consumers = await Promise.all(
    (isShared ? [killed, other] : [killed]).map(({ port }, index) =>
      PlainConsumer.connect(port, { id: `${name}-${index}`, filter }),
    ),
  );
  ends.defer(async () => void (await Promise.all(consumers.map((consumer) => consumer.end()))));
  const publisher = await PlainPublisher.connect(other.port, `${name}-publisher`);
  ends.defer(() => publisher.end());
  const got = () => new Set(consumers.flatMap((consumer) => [...consumer.got]));
  const publish = () =>
    publisher.publish(
      name,
      Array.from({ length: messages }, (_, number) => number),
    );
  if (moment === 'before publishing') {
    await killed.kill();
    await publish();
  } else {
    const publishing = publish();
    const isReached = () =>
      moment === 'while publishing' ? publisher.acknowledged.size >= messages / 2 : got().size === messages;
    while (!isReached()) {
      await pause(LOOK_AGAIN);
    }
    await killed.kill();
    await Promise.all([publishing, ...(other === killed ? [start()] : [])]);
  }
  await start();
  await Promise.all(consumers.map((consumer) => consumer.untilConnected()));
  await Promise.all(consumers.map((consumer) => consumer.untilQuiet()));
  const came = got();
  return [...publisher.acknowledged].filter((number) => !came.has(number)).length;
}

/** What came of ten messages that were published before the kill, of which one was under way, and of five after it. */
export interface AfterHeld {
  underWay: number;
  /** Whether it had the DUP flag. */
  withDup: number;
  waiting: number;
  later: number;
  laterBySubscribing: number;
}

export async function countAfterHeld(
  { nodes, start }: KillableNodes,
  { name, isShared }: { name: string; isShared: boolean },
): Promise<AfterHeld> {
  const [killed] = nodes as [ListeningBroker, ...ListeningBroker[]];
  await using ends = new AsyncDisposableStack();
  const session = { id: `${name}-0`, filter: filterOf(name, isShared) };
  const holding = await PlainConsumer.connect(killed.port, { ...session, receiveMaximum: 1 });
  const publisher = await PlainPublisher.connect(killed.port, `${name}-publisher`);
  ends.defer(() => publisher.end());
  holding.hold();
  await publisher.publish(name, BEFORE);
  while (holding.held === null) {
    await pause(LOOK_AGAIN);
  }
  const { held } = holding;
  await killed.kill();
  await holding.end();
  await start();
  const consumer = await PlainConsumer.connect(killed.port, session);
  ends.defer(() => consumer.end());
  await consumer.untilQuiet();
  await publisher.publish(name, AFTER);
  await consumer.untilQuiet();
  const came = (numbers: readonly number[]) => numbers.filter((number) => consumer.got.has(number)).length;
  const later = came(AFTER);
  await consumer.subscribe();
  await consumer.untilQuiet();
  return {
    underWay: came([held]),
    withDup: consumer.gotAgain.has(held) ? 1 : 0,
    waiting: came(BEFORE.filter((number) => number !== held)),
    later,
    laterBySubscribing: came(AFTER) - later,
  };
}

const BEFORE = Array.from({ length: 10 }, (_, number) => number);
const AFTER = Array.from({ length: 5 }, (_, number) => BEFORE.length + number);

function filterOf(topic: string, isShared: boolean): string {
  return isShared ? `$share/plain/${topic}` : topic;
}

/** Milliseconds. */
const LOOK_AGAIN = 5;
