import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import { type Packet, parser } from 'mqtt-packet';
import { Turns } from '../../../base/each-in-turns.ts';
import { messageOf } from '../../../base/errors.ts';
import type { MqttLogin } from '../../../domain/administration/mqtt-consumers/consumers.ts';
import { faultOfNewTopic, isWildcard, topicMatches } from '../../../domain/administration/readers/topic.ts';
import { discoveryNode } from '../moves-out/home-assistant.ts';
import { type Destination, type Message, Unpublished } from '../moves-out/messages.ts';
import type { Sink } from '../moves-out/publish-step.ts';
import { LEAVING } from '../registry/registry.ts';
import type { Consumers, Login } from '../source/embedded-broker.ts';
import type { ReaderConnection } from '../source/reader-connection.ts';
import { ReaderSessions } from '../source/reader-sessions.ts';
import { badCredentials, endUnanswered } from '../source/sign-in.ts';
import { type ConsumerLogins, isConsumerName } from './consumer-logins.ts';

interface Retained {
  topic: string;
  payload: Buffer;
}

/** The retained messages below one root, which belongs to one organization. */
interface Root {
  byTopic: Map<string, Retained>;
  bytes: number;
}

/** Bytes that an organization may have retained, of moves and of discovery each: some hundred thousand assets. */
const MOST_RETAINED = 256 * 1024 * 1024;

export interface ConsumerBroker extends Sink, Consumers {
  /** Ends the connections of deleted logins. */
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

/** A socket that was handed over, before its consumer signed in. */
interface Taken {
  connection: ReaderConnection;
  onSignedIn(login: Login): void;
}

/** Shared by an organization's consumers. */
interface Share {
  connections: number;
  subscriptions: number;
}

/**
 * The embedded broker as consumers of moves see it: a broker of its own at the readers' port, so that no reader can read
 * or write there, and a consumer that takes nothing delays no reader, and other consumers only briefly.
 *
 * What is retained is kept in memory, and is published again when the process starts. Sessions are not kept: a
 * consumer that reconnects gets the retained messages, which say where everything is.
 */
export async function startConsumerBroker(options: ConsumerBrokerOptions): Promise<ConsumerBroker> {
  const broker = new MovesBroker(options);
  await broker.start();
  return broker;
}

class MovesBroker implements ConsumerBroker {
  readonly #options: ConsumerBrokerOptions;
  readonly #retained: RetainedMoves;
  readonly #consumers = new Map<Client, Consumer>();
  readonly #connections = new WeakMap<object, Taken>();
  /** Organizations with connections. */
  readonly #shares = new Map<number, Share>();
  #broker: Aedes | null = null;

  constructor(options: ConsumerBrokerOptions) {
    this.#options = options;
    this.#retained = new RetainedMoves(options.to);
  }

  async start(): Promise<void> {
    const { logins } = this.#options;
    const broker = await Aedes.createBroker({
      persistence: this.#retained,
      connectTimeout: 10_000,
      maxClientsIdLength: 255,
      drainTimeout: SLOWEST,
      // Messages that wait for one consumer delay no other.
      concurrency: 0,
      preConnect: (client, packet, done) => {
        this.#connections.get(client.conn)?.connection.keepalive.start(packet.keepalive ?? 0);
        packet.keepalive = 0;
        packet.clean = true;
        done(null, true);
      },
      authenticate: (client, username, password, done) => {
        logins.signIn(username ?? '', password).then(
          (login) => this.#admit(client, username, login, done),
          // The database is away.
          () => endUnanswered(client),
        );
      },
      authorizePublish: (client, packet, done) => {
        const username = client === null ? null : (this.#consumers.get(client)?.username ?? null);
        this.#options.onRefused(username, 'consumers may not publish');
        // Acknowledged all the same (MQTT 3.1.1, [MQTT-3.3.5-2]): Home Assistant announces itself, and would be cut off.
        Object.assign(packet, { topic: NOWHERE, payload: NOTHING, retain: false });
        done(null);
      },
      authorizeSubscribe: (client, subscription, done) =>
        done(null, this.#subscribe(this.#consumers.get(client), subscription.topic) ? subscription : null),
      authorizeForward: (client, packet) => (this.#mayForward(client, packet.topic) ? packet : null),
    });
    broker.on('unsubscribe', (filters, client) => {
      const consumer = this.#consumers.get(client);
      for (const filter of filters) {
        if (consumer?.filters.delete(filter)) {
          consumer.share.subscriptions -= 1;
        }
      }
    });
    broker.on('clientError', (client, error) => {
      const consumer = this.#consumers.get(client);
      // Faults of the network have a code; those of what the consumer sent are the broker's own.
      if (consumer !== undefined && !('code' in error)) {
        this.#options.onRefused(consumer.username, `the broker ended its connection: ${messageOf(error)}`);
      }
    });
    this.#broker = broker;
  }

  async publish(messages: readonly Message[]): Promise<void> {
    const patience = pause(PATIENCE);
    for (const message of messages) {
      // Sent to all consumers that keep up, and retained before the next message.
      await Promise.race([this.#publishOne(message), patience]);
    }
  }

  isTheirs(connect: Buffer): boolean {
    return isConsumerName(userNameOf(connect));
  }

  take(socket: Socket, connection: ReaderConnection, onSignedIn: (login: Login) => void): void {
    this.#connections.set(socket, { connection, onSignedIn });
    this.#broker?.handle(socket);
  }

  async cutDeleted(): Promise<void> {
    for (const [client, consumer] of this.#consumers) {
      const reason = await this.#options.logins.whyGone(consumer.username);
      if (reason !== null) {
        this.#cut(client, consumer, reason);
      }
    }
  }

  close(): Promise<void> {
    return new Promise<void>((resolve) => this.#broker?.close(() => resolve()));
  }

  #admit(
    client: Client,
    username: string | undefined,
    login: MqttLogin | null,
    done: (error: AuthenticateError | null, ok: boolean | null) => void,
  ): void {
    const { onRefused, onSignedIn } = this.#options;
    const taken = this.#connections.get(client.conn);
    if (login === null || taken === undefined) {
      onRefused(username ?? null, 'wrong user name or password');
      done(badCredentials(), null);
    } else if (login.isLeaving) {
      onRefused(login.username, LEAVING);
      endUnanswered(client);
    } else if ((this.#shares.get(login.orgId)?.connections ?? 0) >= MOST_CONNECTIONS) {
      onRefused(login.username, `its organization has ${MOST_CONNECTIONS} connections of consumers`);
      endUnanswered(client);
    } else {
      client.clean = true;
      // A client takes over the session of its id; prefixed, so that no consumer takes over another's.
      client.id = `${login.username}/${client.id}`;
      this.#note(client, login, taken.connection);
      taken.onSignedIn(login);
      onSignedIn(login);
      done(null, true);
    }
  }

  #note(client: Client, login: MqttLogin, connection: ReaderConnection): void {
    const share = this.#shares.get(login.orgId) ?? { connections: 0, subscriptions: 0 };
    this.#shares.set(login.orgId, share);
    share.connections += 1;
    const consumer = { ...login, connection, filters: new Set<string>(), share };
    this.#consumers.set(client, consumer);
    onceClosed(client.conn as Socket, () => {
      this.#consumers.delete(client);
      share.connections -= 1;
      share.subscriptions -= consumer.filters.size;
      if (share.connections === 0) {
        this.#shares.delete(login.orgId);
      }
    });
  }

  /** @returns whether it may. */
  #subscribe(consumer: Consumer | undefined, filter: string): boolean {
    const { to, onRefused } = this.#options;
    if (consumer === undefined || !maySubscribe(to, consumer.orgId, filter)) {
      const reason = `consumers may subscribe to what is published for them (${filter})`;
      onRefused(consumer?.username ?? null, reason);
      return false;
    }
    const fault = faultOfNewTopic(filter);
    if (fault !== null) {
      onRefused(consumer.username, `what it subscribes to ${fault}`);
      return false;
    }
    if (!consumer.filters.has(filter)) {
      if (consumer.share.subscriptions >= MOST_SUBSCRIPTIONS) {
        onRefused(consumer.username, `its organization has ${MOST_SUBSCRIPTIONS} subscriptions`);
        return false;
      }
      consumer.filters.add(filter);
      consumer.share.subscriptions += 1;
    }
    const retainedMessages = isWildcard(filter) ? this.#retained.count(consumer.orgId) : 1;
    consumer.connection.charge(retainedMessages / RETAINED_PER_MESSAGE);
    return true;
  }

  #mayForward(client: Client, topic: string): boolean {
    const consumer = this.#consumers.get(client);
    if (consumer === undefined || !isOwn(this.#options.to, consumer.orgId, topic)) {
      return false;
    }
    if ((client.conn as Socket).writableLength <= MOST_WAITING) {
      return true;
    }
    this.#cut(client, consumer, `it takes nothing, and ${MOST_WAITING} bytes wait for it`);
    return false;
  }

  #cut(client: Client, { username, connection }: Consumer, reason: string): void {
    this.#options.onRefused(username, reason);
    this.#consumers.delete(client);
    connection.cut();
  }

  async #publishOne(message: Message): Promise<void> {
    if (!this.#retained.hasRoomFor(message)) {
      throw new Unpublished(message, { cause: new Error(TOO_MUCH), isLost: false });
    }
    const payload = Buffer.from(message.payload);
    await new Promise<void>((resolve, reject) => {
      this.#broker?.publish(
        { cmd: 'publish', topic: message.topic, payload, qos: 1, retain: true, dup: false },
        (error) => (error ? reject(error) : resolve()),
      );
    });
  }
}

function onceClosed(socket: Socket, then: () => void): void {
  socket.destroyed ? then() : socket.once('close', then);
}

/** Consumers subscribe to all of discovery; {@link isOwn} leaves each its own. */
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

/** Per organization. Home Assistant has one for each asset. */
const MOST_SUBSCRIPTIONS = 50_000;

/** Sending ten retained messages takes about as long as handling one message. */
const RETAINED_PER_MESSAGE = 10;

const TOO_MUCH = 'the embedded broker keeps no more for an organization; use a broker of your own (MQTT_URL)';

/** Milliseconds after which a consumer that takes nothing is cut off. */
const SLOWEST = 5_000;

/** Bytes that may wait for a consumer, beyond what the network takes. */
const MOST_WAITING = 1024 * 1024;

/** Per organization. */
const MOST_CONNECTIONS = 100;

/** Milliseconds that an organization's messages of one step wait for its slow consumers: other organizations' come after them. */
const PATIENCE = 100;

/** The user name of a CONNECT; undefined if it has none, or cannot be read. */
function userNameOf(connect: Buffer): string | undefined {
  let name: string | undefined;
  const reading = parser();
  reading.on('packet', (packet: Packet) => {
    name = packet.cmd === 'connect' ? packet.username : undefined;
  });
  // The broker that gets it reports the fault.
  reading.on('error', () => {});
  reading.parse(connect);
  return name;
}

/**
 * The embedded broker's retained messages for consumers, kept per organization, so that the cost of a subscription
 * depends only on its organization and the few sessions of {@link ReaderSessions}.
 */
export class RetainedMoves extends ReaderSessions {
  readonly #to: Destination;
  readonly #roots = new Map<string, Root>();

  constructor(to: Destination) {
    super();
    this.#to = to;
  }

  /** Whether the organization has room for another retained message. */
  hasRoomFor({ topic, payload }: Message): boolean {
    const root = this.#roots.get(this.#rootOf(topic));
    const before = root?.byTopic.get(topic)?.payload.length ?? 0;
    return (root?.bytes ?? 0) - before + Buffer.byteLength(payload) <= MOST_RETAINED;
  }

  /** Messages that are retained for an organization. */
  count(orgId: number): number {
    return rootsOf(this.#to, orgId).reduce(
      (sum, name) => sum + (this.#roots.get(name)?.byTopic.size ?? 0),
      0,
    );
  }

  override async storeRetained(packet?: Retained): Promise<void> {
    if (packet === undefined) {
      return;
    }
    const { topic, payload } = packet;
    const name = this.#rootOf(topic);
    const root = this.#roots.get(name) ?? { byTopic: new Map(), bytes: 0 };
    root.bytes += payload.length - (root.byTopic.get(topic)?.payload.length ?? 0);
    if (payload.length === 0) {
      root.byTopic.delete(topic);
    } else {
      root.byTopic.set(topic, { topic, payload });
    }
    root.byTopic.size === 0 ? this.#roots.delete(name) : this.#roots.set(name, root);
  }

  override createRetainedStreamCombi(filters: readonly string[] = []): Readable {
    return Readable.from(this.#matching(filters));
  }

  async *#matching(filters: readonly string[]): AsyncGenerator<object> {
    const given = new Set<string>();
    const turns = new Turns();
    for (const filter of filters) {
      for (const { topic, payload } of this.#below(filter)) {
        if (!given.has(topic) && topicMatches(filter, topic)) {
          given.add(topic);
          yield { cmd: 'publish', topic, payload, qos: 1, retain: true };
        }
        await turns.next();
      }
    }
  }

  /** Candidates for a filter; below discovery, whose topics all consumers share, those of all organizations. */
  *#below(filter: string): Generator<Retained> {
    const name = this.#rootOf(filter);
    const root = this.#roots.get(name);
    if (root !== undefined) {
      const exact = root.byTopic.get(filter);
      yield* isWildcard(filter) ? root.byTopic.values() : exact === undefined ? [] : [exact];
    } else if (isWildcard(name)) {
      for (const [other, { byTopic }] of this.#roots) {
        if (this.#isDiscovery(other)) {
          yield* byTopic.values();
        }
      }
    }
  }

  /** The first levels of a topic or filter, which name its organization. */
  #rootOf(topic: string): string {
    const { prefix, homeAssistant } = this.#to;
    const levels = topic.split('/');
    return levels
      .slice(0, this.#isDiscovery(topic) ? depthOf(homeAssistant ?? '') + 2 : depthOf(prefix) + 1)
      .join('/');
  }

  #isDiscovery(topic: string): boolean {
    const { prefix, homeAssistant } = this.#to;
    return homeAssistant !== null && topic.startsWith(`${homeAssistant}/`) && !topic.startsWith(`${prefix}/`);
  }
}

/** The first levels of an organization's topics. */
function rootsOf({ prefix, homeAssistant }: Destination, orgId: number): string[] {
  return [
    `${prefix}/${orgId}`,
    ...(homeAssistant === null ? [] : [`${homeAssistant}/sensor/${discoveryNode(orgId)}`]),
  ];
}

function depthOf(prefix: string): number {
  return prefix.split('/').length;
}
