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
import type { HeldMessages } from './held-messages.ts';
import { noticeLostSession } from './notice-lost-session.ts';
import { type ProtocolVersion, VersionChoice } from './protocol-version.ts';
import { QueueRefused } from './queue-refused.ts';
import type { SessionRecord } from './sessions/session-record.ts';
import { isStatusTopic, OFFLINE_STATUS, onlineStatus } from './status.ts';
import { Subscriptions } from './subscriptions.ts';

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

/** Opens a connection of the session `clientId`; the process's own is the one that has a will. */
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
  const { registry, clientId, mostHeld, held, statusTopic, isWanted } = options;
  const log = options.log.child({ clientId });
  const counts = { connections: 0, received: 0, committed: 0 };
  const backOff = new BackOff(RECONNECT);
  const version = new VersionChoice(options.protocolVersion);
  const stopping = new AbortController();
  const underWay = { messages: 0, none: Promise.withResolvers<void>() };
  let current: { connection: BrokerConnection; subscriptions: Subscriptions } | null = null;
  let lastFault = new Error('not connected yet');

  const onDelivery = takeDeliveries({
    intake: options.intake,
    held,
    stopping: stopping.signal,
    onReceived: (topic) => {
      counts.received += 1;
      underWay.messages += 1;
      const filter = registry.byTopic(topic)?.topic;
      if (filter === undefined || !isWanted(filter)) {
        current?.subscriptions.drop(filter ?? topic);
      }
    },
    onCommitted: () => {
      counts.committed += 1;
    },
    onDone: () => {
      underWay.messages -= 1;
      if (underWay.messages === 0) {
        underWay.none.resolve();
        underWay.none = Promise.withResolvers();
      }
    },
    onFault: (err, topic) => {
      const { orgId, readerId } = registry.byTopic(topic) ?? {};
      log.error({ err, topic, orgId, readerId }, 'Message could not be recorded; will retry');
    },
  });

  const open = () =>
    options.connect({
      clientId,
      protocolVersion: version.current,
      keepalive: options.keepalive ?? KEEPALIVE,
      sessionExpiry: options.sessionExpiry,
      receiveMaximum: Math.min(mostHeld.messages, MOST_IN_FLIGHT),
      will: statusTopic === null ? null : { topic: statusTopic, payload: OFFLINE_STATUS },
      signal: stopping.signal,
      onDelivery,
    });

  const subscriptionsOf = (connection: BrokerConnection) => {
    const { record } = options;
    const noted = noticeLostSession(connection, record, {
      sharedProbe: options.isShared ? `$share/${options.group}/tagtrail/ingest/${clientId}/probe` : null,
      onForgotten: () => {
        log.error(
          'Broker lost this session, and what readers sent while nobody was connected; enable its persistence',
        );
        options.onForgotten();
      },
      onFault: (err) => log.debug({ err }, 'Connection could not be noted; will retry'),
    });
    const afterwards =
      <Values extends unknown[], Result>(use: (...values: Values) => Promise<Result>) =>
      async (...values: Values): Promise<Result> => {
        await noted;
        return use(...values);
      };
    return new Subscriptions({
      connection,
      group: options.group,
      isShared: options.isShared,
      wanted: () => [...registry.topics()].filter(isWanted),
      isWanted: (topic) => isLive(topic) && isWanted(topic),
      successorOf: (topic) => (isLive(topic) ? options.successorOf(topic) : null),
      inherited: async () => (counts.connections === 1 ? options.inherited() : []),
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
  };
  const isLive = (topic: string) => registry.byTopic(topic)?.topic === topic;

  /** @returns the fault, and the connection's lifetime in milliseconds. */
  const connectOnce = async (): Promise<{ fault: Error; lasted: number }> => {
    const connection = await open();
    const since = performance.now();
    version.worked();
    counts.connections += 1;
    const subscriptions = subscriptionsOf(connection);
    current = { connection, subscriptions };
    log[statusTopic === null ? 'debug' : 'info'](
      {
        protocol: connection.protocol,
        isResumed: connection.isResumed,
        isShared: options.isShared,
      },
      'Connected to the broker',
    );
    if (statusTopic !== null) {
      connection.publishRetained(statusTopic, onlineStatus(new Date()));
    }
    subscriptions.begin();
    options.onConnected?.();
    const fault = await connection.ended;
    subscriptions.close();
    current = null;
    return { fault, lasted: performance.now() - since };
  };

  const live = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { fault, lasted } = await connectOnce().catch((error: Error) => ({ fault: error, lasted: 0 }));
      if (stopping.signal.aborted) {
        return;
      }
      if (fault instanceof VersionRefused) {
        version.refused();
      } else if (fault instanceof NoAnswer) {
        version.notAnswered();
      }
      if (lasted >= STABLE) {
        backOff.reset();
      }
      const retryIn = Math.round(backOff.next());
      const isNews = lasted > 0 || fault.message !== lastFault.message;
      reportFault(log, { fault, lasted, retryIn, isNews, isOwn: statusTopic !== null });
      lastFault = fault;
      await pause(retryIn, undefined, { signal: stopping.signal }).catch(() => {});
      if (isTakenOver(fault) && (await options.beforeTakingBack?.()) === true && !stopping.signal.aborted) {
        log.error(
          'Another client connected as this session, which no other process holds; what waits there may be lost. Give each database an MQTT_SHARED_GROUP of its own, and let readers not choose their client id at the broker',
        );
      }
    }
  };

  const living = live();
  return {
    figures: () => ({
      ...counts,
      subscribed: current?.subscriptions.held ?? 0,
      refused: current?.subscriptions.refused ?? 0,
    }),
    isConnected: () => current !== null,
    quietFor: () => current?.connection.quietFor() ?? null,
    fault: () => lastFault,
    follow: () => void current?.subscriptions.follow(),
    drain: async (patience) => {
      stopping.abort();
      if (underWay.messages > 0) {
        const timer = new AbortController();
        const late = pause(patience, undefined, { signal: timer.signal }).catch(() => {});
        await Promise.race([underWay.none.promise, late]);
        timer.abort();
      }
    },
    stop: async (drained) => {
      stopping.abort();
      await drained();
      // The last commits are acknowledged in this turn.
      await nextTurn();
      if (statusTopic !== null) {
        current?.connection.publishRetained(statusTopic, OFFLINE_STATUS);
      }
      await current?.connection.close();
      await living;
    },
  };
}

/** Seconds. A broker that vanished silently is detected after one and a half times that. */
const KEEPALIVE = 15;

/** Largest Receive Maximum of MQTT 5. */
const MOST_IN_FLIGHT = 65_535;

/** Milliseconds between attempts to connect. */
const RECONNECT = { first: 100, longest: 3_000 };

interface DeliveryOptions {
  intake: Intake;
  held: HeldMessages;
  /** Aborted to stop: deliveries then stay unacknowledged and come again. */
  stopping: AbortSignal;
  onReceived(topic: string): void;
  onCommitted(): void;
  onDone(): void;
  /** Called for a message that could not be recorded although the database is available. */
  onFault(error: unknown, topic: string): void;
}

/** Handles a connection's messages: wait for room, hand over to the intake, acknowledge after the commit. */
function takeDeliveries(options: DeliveryOptions): (delivery: Delivery) => boolean {
  const { intake, held, stopping, onReceived, onCommitted, onDone, onFault } = options;

  const record = async ({ message, acknowledge, fail }: Delivery): Promise<void> => {
    onReceived(message.topic);
    try {
      await intake.receive(message);
      onCommitted();
      acknowledge();
    } catch (error) {
      if (!stopping.aborted) {
        onFault(error, message.topic);
        fail(new Error(`a message could not be recorded: ${messageOf(error)}`));
      }
    } finally {
      held.leave(message.payload.length);
      onDone();
    }
  };

  return (delivery) => {
    const { message, acknowledge, proceed } = delivery;
    if (stopping.aborted || isStatusTopic(message.topic)) {
      if (!stopping.aborted) {
        acknowledge();
      }
      proceed();
      return true;
    }
    return held.enter(message.payload.length, () => {
      record(delivery);
      proceed();
    });
  };
}

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
      'Broker connection lost at once; if another process has the same client id, set MQTT_CLIENT_ID',
    );
  } else {
    log.warn(what, 'Broker connection lost; reconnecting');
  }
}
