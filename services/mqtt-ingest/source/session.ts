import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../../base/errors.ts';
import type { Intake } from '../intake/intake.ts';
import type { Registry } from '../registry/registry.ts';
import { BackOff } from './back-off.ts';
import {
  type BrokerConnection,
  type ConnectionOptions,
  type Delivery,
  DisconnectedByBroker,
  NoAnswer,
  SESSION_TAKEN_OVER,
  VersionRefused,
} from './broker-connection.ts';
import { type HeldMessages, NOBODY, type Owner } from './held-messages.ts';
import { type ProtocolVersion, VersionChoice } from './protocol-version.ts';
import { QueueRefused } from './queue-address.ts';
import type { SessionRecord } from './sessions/session-record.ts';
import { isStatusTopic, OFFLINE_STATUS, onlineStatus } from './status.ts';
import { Subscriptions } from './subscriptions.ts';

interface NoticeOptions {
  sharedProbe: string | null;
  /** Called if the broker has lost the session, or its shared subscriptions, with everything queued there. */
  onForgotten(): void;
  onFault(error: unknown): void;
}

/** Milliseconds. */
const AGAIN = 1_000;

/** MQTT 5 section 3.11.3. */
const NO_SUBSCRIPTION_EXISTED = 17;

const REFUSED = 128;

/**
 * One session at a broker, by client id: takes its readers' messages and acknowledges each after its commit
 * (at least once).
 *
 * The session is persistent: messages that were delivered but unacknowledged, or arrive in its absence, come
 * on the next connection. A connection is never repaired, only followed by a new one: connecting -> connected
 * -> pause -> connecting ..., until stopped.
 */
export interface Session {
  figures(): SessionFigures;
  isConnected(): boolean;
  /** Milliseconds since the broker was last heard; null while not connected. */
  quietFor(): number | null;
  fault(): Error;
  /** Call when the registered readers, or the holders of sessions, have changed. */
  follow(): void;
  /** Stops taking messages; resolves when those taken are finished, or after `patience` milliseconds. */
  drain(patience: number): Promise<void>;
  /** Stops taking messages, acknowledges those committed while `drained` is awaited, and disconnects. */
  stop(drained: () => Promise<void>): Promise<void>;
}

export interface SessionFigures {
  /** Counted since the start, as are the next two. */
  connections: number;
  received: number;
  committed: number;
  /** Number of topics, as is `refused`. */
  subscribed: number;
  refused: number;
}

/** Opens a connection of the session `clientId`; only the process's own has a will. */
export type Connect = (options: Omit<ConnectionOptions, 'address'>) => Promise<BrokerConnection>;

export interface SessionSurroundings {
  connect: Connect;
  /** Null to negotiate; only MQTT has several. */
  protocolVersion: ProtocolVersion | null;
  group: string;
  /** Seconds the broker keeps messages for an absent session. */
  sessionExpiry: number;
  /** Seconds. */
  keepalive?: number;
  mostHeld: { messages: number; bytes: number };
  held: HeldMessages;
  intake: Intake;
  registry: Registry;
  log: Logger;
}

export interface SessionOptions extends SessionSurroundings {
  clientId: string;
  /** Presence topic of this process; null to publish none. */
  statusTopic: string | null;
  isShared: boolean;
  /** True for a live reader's topic that belongs to this session. */
  isWanted(topic: string): boolean;
  /** The session to which a live reader's topic belongs, if not to this one. */
  successorOf(topic: string): string;
  inherited(): Promise<readonly string[]>;
  record: SessionRecord;
  onConnected?(): void;
  /**
   * Called after a takeover: waits until the holder of the session is known, and stops this one if it is another process.
   *
   * @returns false if it could not be found out.
   */
  beforeTakingBack?(): Promise<boolean>;
  onForgotten(): void;
}

export function startSession(options: SessionOptions): Session {
  const session = new LiveSession(options);
  session.start();
  return session;
}

class LiveSession implements Session {
  readonly #options: SessionOptions;
  readonly #log: Logger;
  readonly #counts = { connections: 0, received: 0, committed: 0 };
  readonly #backOff = new BackOff(RECONNECT);
  readonly #version: VersionChoice;
  readonly #stopping = new AbortController();
  readonly #underWay = { messages: 0, none: Promise.withResolvers<void>() };
  #current: { connection: BrokerConnection; subscriptions: Subscriptions } | null = null;
  #lastFault = new Error('not connected yet');
  #living = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#log = options.log.child({ clientId: options.clientId });
    this.#version = new VersionChoice(options.protocolVersion);
  }

  start(): void {
    this.#living = this.#live();
  }

  figures(): SessionFigures {
    return {
      ...this.#counts,
      subscribed: this.#current?.subscriptions.held ?? 0,
      refused: this.#current?.subscriptions.refused ?? 0,
    };
  }

  isConnected(): boolean {
    return this.#current !== null;
  }

  quietFor(): number | null {
    return this.#current?.connection.quietFor() ?? null;
  }

  fault(): Error {
    return this.#lastFault;
  }

  follow(): void {
    this.#current?.subscriptions.follow();
  }

  async drain(patience: number): Promise<void> {
    this.#stopping.abort();
    if (this.#underWay.messages > 0) {
      const timer = new AbortController();
      const late = pause(patience, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([this.#underWay.none.promise, late]);
      timer.abort();
    }
  }

  async stop(drained: () => Promise<void>): Promise<void> {
    const { statusTopic } = this.#options;
    this.#stopping.abort();
    await drained();
    // The last commits are acknowledged in this turn.
    await nextTurn();
    if (statusTopic !== null) {
      this.#current?.connection.publishRetained(statusTopic, OFFLINE_STATUS);
    }
    await this.#current?.connection.close();
    await this.#living;
  }

  async #live(): Promise<void> {
    const { statusTopic, beforeTakingBack } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const { fault, lasted } = await this.#connectOnce().catch((error: Error) => ({
        fault: error,
        lasted: 0,
      }));
      if (signal.aborted) {
        return;
      }
      if (fault instanceof VersionRefused) {
        this.#version.refused();
      } else if (fault instanceof NoAnswer) {
        this.#version.notAnswered();
      }
      if (lasted >= STABLE) {
        this.#backOff.reset();
      }
      const retryIn = Math.round(this.#backOff.next());
      const isNews = lasted > 0 || fault.message !== this.#lastFault.message;
      reportFault(this.#log, { fault, lasted, retryIn, isNews, isOwn: statusTopic !== null });
      this.#lastFault = fault;
      await pause(retryIn, undefined, { signal }).catch(() => {});
      if (isTakenOver(fault) && (await beforeTakingBack?.()) === true && !signal.aborted) {
        this.#log.error(
          'Foreign client took over this session; waiting messages may be lost. Give each database its own MQTT_SHARED_GROUP, and keep readers from choosing their client id at the broker',
        );
      }
    }
  }

  /** @returns the fault, and the connection's lifetime in milliseconds. */
  async #connectOnce(): Promise<{ fault: Error; lasted: number }> {
    const { statusTopic, isShared, onConnected } = this.#options;
    const life: Life = { isOver: false };
    const connection = await this.#open(life);
    const since = performance.now();
    this.#version.worked();
    this.#counts.connections += 1;
    const subscriptions = this.#subscriptionsOf(connection);
    this.#current = { connection, subscriptions };
    this.#log[statusTopic === null ? 'debug' : 'info'](
      { protocol: connection.protocol, isResumed: connection.isResumed, isShared },
      'Connected to the broker',
    );
    if (statusTopic !== null) {
      connection.publishRetained(statusTopic, onlineStatus(new Date()));
    }
    subscriptions.begin();
    onConnected?.();
    const fault = await connection.ended;
    life.isOver = true;
    subscriptions.close();
    this.#current = null;
    return { fault, lasted: performance.now() - since };
  }

  #open(life: Life): Promise<BrokerConnection> {
    const { clientId, keepalive = KEEPALIVE, sessionExpiry, mostHeld, statusTopic } = this.#options;
    return this.#options.connect({
      ...{ clientId, keepalive, sessionExpiry },
      protocolVersion: this.#version.current,
      receiveMaximum: Math.min(mostHeld.messages, MOST_IN_FLIGHT),
      will: statusTopic === null ? null : { topic: statusTopic, payload: OFFLINE_STATUS },
      signal: this.#stopping.signal,
      onDelivery: (delivery) => this.#take(delivery, life),
    });
  }

  #subscriptionsOf(connection: BrokerConnection): Subscriptions {
    const { clientId, group, isShared, registry, isWanted, record } = this.#options;
    const log = this.#log;
    const noted = noticeLostSession(connection, record, {
      sharedProbe: isShared ? `$share/${group}/tagtrail/ingest/${clientId}/probe` : null,
      onForgotten: () => {
        log.error('Broker lost this session with the messages it held; enable its persistence');
        this.#options.onForgotten();
      },
      onFault: (err) => log.debug({ err }, 'Connection could not be recorded; will retry'),
    });
    const afterwards =
      <Values extends unknown[], Result>(use: (...values: Values) => Promise<Result>) =>
      async (...values: Values): Promise<Result> => {
        await noted;
        return use(...values);
      };
    const isLive = (topic: string) => registry.byTopic(topic)?.topic === topic;
    return new Subscriptions({
      ...{ connection, group, isShared },
      wanted: () => [...registry.topics()].filter(isWanted),
      isWanted: (topic) => isLive(topic) && isWanted(topic),
      successorOf: (topic) => (isLive(topic) ? this.#options.successorOf(topic) : null),
      inherited: async () => (this.#counts.connections === 1 ? this.#options.inherited() : []),
      record: {
        topics: afterwards(record.topics),
        confirm: afterwards(record.confirm),
        forget: afterwards(record.forget),
        release: afterwards(record.release),
      },
      onRefused: (topic, reasonCode, retryIn) =>
        log.warn({ topic, reasonCode, retryIn }, 'Broker refused a subscription; will retry'),
      onFault: (err) => log.warn({ err }, 'Subscriptions could not be updated; will retry'),
    });
  }

  /**
   * Waits for room, passes the message to the intake, and acknowledges it after the commit. While stopping, deliveries
   * stay unacknowledged and come again, as do those that still wait when their connection has ended.
   */
  #take(delivery: Delivery, life: Life): boolean {
    const { message, acknowledge, proceed } = delivery;
    const isStopping = this.#stopping.signal.aborted;
    if (isStopping || isStatusTopic(message.topic)) {
      if (!isStopping) {
        acknowledge();
      }
      proceed();
      return true;
    }
    const { held } = this.#options;
    const owner = this.#ownerOf(message.topic);
    const { length } = message.payload;
    const isIn = held.enter(
      length,
      () => {
        const comesAgain = message.packetId !== null && (life.isOver || this.#stopping.signal.aborted);
        const done = comesAgain ? Promise.resolve() : this.#record(delivery);
        done.then(() => held.leave(length, owner));
      },
      owner,
    );
    if (isIn) {
      proceed();
      return true;
    }
    // A copy: it may be a piece of what was read at once, and keep all of that.
    message.payload = Buffer.from(message.payload);
    return held.readOn(proceed);
  }

  #ownerOf(topic: string): Owner {
    const reader = this.#options.registry.byTopic(topic);
    return reader === undefined ? NOBODY : { orgId: reader.orgId, reader: reader.username };
  }

  async #record({ message, acknowledge, fail }: Delivery): Promise<void> {
    const { intake } = this.#options;
    this.#counts.received += 1;
    this.#underWay.messages += 1;
    this.#dropUnwanted(message.topic);
    try {
      await intake.receive(message);
      this.#counts.committed += 1;
      acknowledge();
    } catch (error) {
      if (!this.#stopping.signal.aborted) {
        this.#reportUnrecorded(error, message.topic);
        fail(new Error(`a message could not be recorded: ${messageOf(error)}`));
      }
    } finally {
      this.#underWay.messages -= 1;
      if (this.#underWay.messages === 0) {
        this.#underWay.none.resolve();
        this.#underWay.none = Promise.withResolvers();
      }
    }
  }

  #dropUnwanted(topic: string): void {
    const filter = this.#options.registry.byTopic(topic)?.topic;
    if (filter === undefined || !this.#options.isWanted(filter)) {
      this.#current?.subscriptions.drop(filter ?? topic);
    }
  }

  #reportUnrecorded(err: unknown, topic: string): void {
    const { orgId, readerId } = this.#options.registry.byTopic(topic) ?? {};
    this.#log.error({ err, topic, orgId, readerId }, 'Message could not be recorded; will retry');
  }
}

/** Of a connection. */
interface Life {
  isOver: boolean;
}

/** Seconds. A broker that vanished silently is detected after one and a half times that. */
const KEEPALIVE = 15;

/** Largest Receive Maximum of MQTT 5. */
const MOST_IN_FLIGHT = 65_535;

/** Milliseconds between attempts to connect. */
const RECONNECT = { first: 100, longest: 3_000 };

/** Milliseconds after which a connection counts as stable and the back-off starts over. */
const STABLE = 5_000;

function isTakenOver(fault: Error): boolean {
  return fault instanceof DisconnectedByBroker && fault.reasonCode === SESSION_TAKEN_OVER;
}

/** Logs a repeated fault once. A fault common to all sessions is logged by the process's own. */
function reportFault(
  log: Logger,
  about: { fault: Error; lasted: number; retryIn: number; isNews: boolean; isOwn: boolean },
): void {
  const { fault, lasted, retryIn, isNews, isOwn } = about;
  const what = { reason: messageOf(fault), retryIn };
  if (fault instanceof QueueRefused) {
    log[isNews ? 'warn' : 'debug'](
      what,
      'Broker refuses a queue; its login needs to configure, write and read it. Will retry',
    );
  } else if (!isOwn) {
    log.debug(what, 'Session not connected to the broker');
  } else if (isTakenOver(fault)) {
    log.error(
      what,
      'Another process connected with the same client id; give each process an MQTT_CLIENT_ID of its own',
    );
  } else if (lasted === 0) {
    log[isNews ? 'warn' : 'debug'](what, 'Broker cannot be reached; will retry');
  } else if (lasted < STABLE) {
    log.warn(
      what,
      'Broker closed the connection at once; if another process has the same client id, set MQTT_CLIENT_ID',
    );
  } else {
    log.warn(what, 'Broker connection lost; reconnecting');
  }
}

/**
 * Records a connection as soon as the database is available, and finds out whether the broker still had the
 * session.
 *
 * `session present` is not enough: mosquitto (2.0.11, 2.0.21) keeps a session through a restart but forgets
 * its shared subscriptions. So a shared session has an additional probe subscription, dropped and renewed on
 * every connection: MQTT 5 answers whether it still existed; MQTT 3.1.1 does not.
 *
 * @returns when done, or when the connection has ended.
 */
async function noticeLostSession(
  connection: BrokerConnection,
  record: SessionRecord,
  { sharedProbe, onForgotten, onFault }: NoticeOptions,
): Promise<void> {
  let isOpen = true;
  connection.ended.then(() => {
    isOpen = false;
  });
  const persist = async (work: () => Promise<void>) => {
    while (isOpen) {
      try {
        return await work();
      } catch (error) {
        onFault(error);
        await Promise.race([pause(AGAIN), connection.ended]);
      }
    }
  };
  let hadProbe = false;
  await persist(async () => {
    hadProbe = sharedProbe !== null && (await record.topics()).includes(sharedProbe);
    if (await record.connected(connection.isResumed)) {
      onForgotten();
    }
  });
  if (sharedProbe === null) {
    return;
  }
  await persist(async () => {
    const [answer] = await connection.unsubscribe([sharedProbe]);
    if (hadProbe && connection.isResumed && answer === NO_SUBSCRIPTION_EXISTED) {
      hadProbe = false;
      onForgotten();
      await record.forgotten();
    }
    const [granted = REFUSED] = await connection.subscribe([sharedProbe]);
    await record[granted < REFUSED ? 'confirm' : 'forget']([sharedProbe]);
  });
}
