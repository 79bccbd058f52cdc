import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Aedes, type Client } from 'aedes';
import { type Packet, parser } from 'mqtt-packet';
import { messageOf } from '../../../base/errors.ts';
import type { MqttLogin } from '../../../domain/administration/mqtt-consumers/load-logins.ts';
import { faultOfNewTopic, isWildcard } from '../../../domain/administration/readers/topic.ts';
import type { Destination, Message } from '../moves-out/messages.ts';
import type { Sink } from '../moves-out/publish-step.ts';
import { Unpublished } from '../moves-out/unpublished.ts';
import { LEAVING } from '../registry/as-registered.ts';
import type { Consumers } from '../source/embedded-broker.ts';
import type { ReaderConnection } from '../source/reader-connection.ts';
import { badCredentials, endUnanswered } from '../source/refuse-sign-in.ts';
import { type ConsumerLogins, isConsumerName } from './consumer-logins.ts';
import { RetainedMoves, rootsOf } from './retained-moves.ts';

export interface ConsumerBroker extends Sink, Consumers {
  /** Ends the connections of logins that are no more. */
  cutDeleted(): Promise<void>;
}

export interface ConsumerBrokerOptions {
  logins: ConsumerLogins;
  to: Destination;
  onRefused(username: string | null, reason: string): void;
  onSignedIn(login: MqttLogin): void;
}

interface Consumer extends MqttLogin {
  connection: ReaderConnection;
  filters: Set<string>;
  share: Share;
}

/** What an organization's consumers have together. */
interface Share {
  connections: number;
  subscriptions: number;
}

/**
 * The embedded broker as consumers of moves see it: a broker of its own at the readers' port, so that no reader can read
 * or write there, and a consumer that takes nothing delays no reader, and other consumers only briefly.
 *
 * What is retained is kept in memory, and is published anew when the process starts. Sessions are not kept: whoever
 * connects again gets what is retained, which is where everything is.
 */
export async function startConsumerBroker(options: ConsumerBrokerOptions): Promise<ConsumerBroker> {
  const { logins, to, onRefused, onSignedIn } = options;
  const consumers = new Map<Client, Consumer>();
  const connections = new WeakMap<object, { connection: ReaderConnection; onSignedIn(name: string): void }>();
  const retained = new RetainedMoves(to);
  /** Of organizations that have connections. */
  const shares = new Map<number, Share>();
  const broker = await Aedes.createBroker({
    persistence: retained,
    connectTimeout: 10_000,
    maxClientsIdLength: 255,
    drainTimeout: SLOWEST,
    // What waits for one consumer keeps nothing from the others.
    concurrency: 0,
    preConnect: (client, packet, done) => {
      connections.get(client.conn)?.connection.keepalive.start(packet.keepalive ?? 0);
      packet.keepalive = 0;
      packet.clean = true;
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      logins.signIn(username ?? '', password).then(
        (login) => {
          const taken = connections.get(client.conn);
          if (login === null || taken === undefined) {
            onRefused(username ?? null, 'wrong user name or password');
            done(badCredentials(), null);
          } else if (login.isLeaving) {
            onRefused(login.username, LEAVING);
            endUnanswered(client);
          } else if ((shares.get(login.orgId)?.connections ?? 0) >= MOST_CONNECTIONS) {
            onRefused(login.username, `its organization has ${MOST_CONNECTIONS} connections of consumers`);
            endUnanswered(client);
          } else {
            client.clean = true;
            // A client takes over the session of its id; prefixed, so that no consumer takes over another's.
            client.id = `${login.username}/${client.id}`;
            const share = shares.get(login.orgId) ?? { connections: 0, subscriptions: 0 };
            shares.set(login.orgId, share);
            share.connections += 1;
            const consumer = { ...login, connection: taken.connection, filters: new Set<string>(), share };
            consumers.set(client, consumer);
            onceClosed(client.conn as Socket, () => {
              consumers.delete(client);
              share.connections -= 1;
              share.subscriptions -= consumer.filters.size;
              if (share.connections === 0) {
                shares.delete(login.orgId);
              }
            });
            taken.onSignedIn(login.username);
            onSignedIn(login);
            done(null, true);
          }
        },
        // The database is away.
        () => endUnanswered(client),
      );
    },
    authorizePublish: (client, packet, done) => {
      onRefused(
        client === null ? null : (consumers.get(client)?.username ?? null),
        'consumers may not publish',
      );
      // Acknowledged all the same (MQTT 3.1.1, [MQTT-3.3.5-2]): Home Assistant announces itself, and would be cut off.
      Object.assign(packet, { topic: NOWHERE, payload: NOTHING, retain: false });
      done(null);
    },
    authorizeSubscribe: (client, subscription, done) => {
      const consumer = consumers.get(client);
      const isNew = consumer?.filters.has(subscription.topic) !== true;
      if (consumer === undefined || !maySubscribe(to, consumer.orgId, subscription.topic)) {
        onRefused(
          consumer?.username ?? null,
          `consumers may subscribe to what is published for them (${subscription.topic})`,
        );
        done(null, null);
      } else if (faultOfNewTopic(subscription.topic) !== null) {
        onRefused(consumer.username, `what it subscribes to ${faultOfNewTopic(subscription.topic)}`);
        done(null, null);
      } else if (isNew && consumer.share.subscriptions >= MOST_SUBSCRIPTIONS) {
        onRefused(consumer.username, `its organization has ${MOST_SUBSCRIPTIONS} subscriptions`);
        done(null, null);
      } else {
        if (isNew) {
          consumer.filters.add(subscription.topic);
          consumer.share.subscriptions += 1;
        }
        const retainedMessages = isWildcard(subscription.topic) ? retained.count(consumer.orgId) : 1;
        consumer.connection.charge(retainedMessages / RETAINED_PER_MESSAGE);
        done(null, subscription);
      }
    },
    authorizeForward: (client, packet) => {
      const consumer = consumers.get(client);
      if (consumer === undefined || !isOwn(to, consumer.orgId, packet.topic)) {
        return null;
      }
      if ((client.conn as Socket).writableLength <= MOST_WAITING) {
        return packet;
      }
      onRefused(consumer.username, `it takes nothing, and ${MOST_WAITING} bytes wait for it`);
      consumers.delete(client);
      consumer.connection.cut();
      return null;
    },
  });
  broker.on('unsubscribe', (filters, client) => {
    const consumer = consumers.get(client);
    for (const filter of filters) {
      if (consumer?.filters.delete(filter)) {
        consumer.share.subscriptions -= 1;
      }
    }
  });
  broker.on('clientError', (client, error) => {
    const consumer = consumers.get(client);
    // Faults of the network have a code; those of what the consumer sent are the broker's own.
    if (consumer !== undefined && !('code' in error)) {
      onRefused(consumer.username, `the broker ended its connection: ${messageOf(error)}`);
    }
  });
  const publish = async (message: Message) => {
    if (!retained.hasRoomFor(message)) {
      throw new Unpublished(message, { cause: new Error(TOO_MUCH), isLost: false });
    }
    const payload = Buffer.from(message.payload);
    await new Promise<void>((resolve, reject) => {
      broker.publish(
        { cmd: 'publish', topic: message.topic, payload, qos: 1, retain: true, dup: false },
        (error) => (error ? reject(error) : resolve()),
      );
    });
  };
  return {
    publish: async (messages) => {
      const patience = pause(PATIENCE);
      for (const message of messages) {
        // Sent to every consumer that takes it by then; retained a moment later at the latest, before any that follows.
        await Promise.race([publish(message), patience]);
      }
    },
    isTheirs: (connect) => isConsumerName(userNameOf(connect)),
    take: (socket, connection, onSignedIn) => {
      connections.set(socket, { connection, onSignedIn });
      broker.handle(socket);
    },
    cutDeleted: async () => {
      for (const [client, { username, connection }] of consumers) {
        const reason = await logins.whyGone(username);
        if (reason !== null) {
          onRefused(username, reason);
          consumers.delete(client);
          connection.cut();
        }
      }
    },
    close: () => new Promise<void>((resolve) => broker.close(() => resolve())),
  };
}

function onceClosed(socket: Socket, then: () => void): void {
  socket.destroyed ? then() : socket.once('close', then);
}

/** Discovery is subscribed to as a whole; {@link isOwn} sees to it that everybody gets their own. */
function maySubscribe(to: Destination, orgId: number, filter: string): boolean {
  return (
    filter.startsWith(`${to.prefix}/${orgId}/`) ||
    (to.homeAssistant !== null && filter.startsWith(`${to.homeAssistant}/`))
  );
}

function isOwn(to: Destination, orgId: number, topic: string): boolean {
  return rootsOf(to, orgId).some((root) => topic.startsWith(`${root}/`));
}

/** Nobody may subscribe to it. */
const NOWHERE = '$tagtrail/refused';
const NOTHING = Buffer.alloc(0);

/** Of an organization. Home Assistant has one for each asset. */
const MOST_SUBSCRIPTIONS = 50_000;

/** Giving ten retained messages takes about as long as handling a message does. */
const RETAINED_PER_MESSAGE = 10;

const TOO_MUCH = 'the embedded broker keeps no more for an organization; use a broker of your own (MQTT_URL)';

/** Milliseconds after which a consumer that takes nothing is cut off. */
const SLOWEST = 5_000;

/** Bytes that may wait for a consumer, beyond what the network takes. */
const MOST_WAITING = 1024 * 1024;

/** Of an organization. */
const MOST_CONNECTIONS = 100;

/** Milliseconds that an organization's messages of one step wait for its slow consumers: other organizations' come after them. */
const PATIENCE = 100;

/** The user name of a CONNECT; undefined if it has none, or is not to be read. */
function userNameOf(connect: Buffer): string | undefined {
  let name: string | undefined;
  const reading = parser();
  reading.on('packet', (packet: Packet) => {
    name = packet.cmd === 'connect' ? packet.username : undefined;
  });
  // The broker that gets it says what is wrong with it.
  reading.on('error', () => {});
  reading.parse(connect);
  return name;
}
