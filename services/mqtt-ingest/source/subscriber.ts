import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../shared/errors.ts';
import type { Intake } from '../intake/intake.ts';
import type { Registry } from '../registry/registry.ts';
import { BackOff } from './back-off.ts';
import type { BrokerAddress } from './broker-address.ts';
import {
  type BrokerConnection,
  DisconnectedByBroker,
  NoAnswer,
  openConnection,
  SESSION_TAKEN_OVER,
  VersionRefused,
} from './broker-connection.ts';
import { HeldMessages, MOST_HELD } from './held-messages.ts';
import { type ProtocolVersion, VersionChoice } from './protocol-version.ts';
import { OFFLINE_STATUS, onlineStatus, statusTopicOf } from './status.ts';
import { Subscriptions } from './subscriptions.ts';
import { takeDeliveries } from './take-deliveries.ts';

/**
 * Takes the readers' messages from a broker and acknowledges each when it is committed, and not before.
 *
 * The session is persistent: what the broker has delivered and this process has not acknowledged, and what could not
 * be delivered while it was away, comes on the next connection. A connection is never mended, only followed by a new
 * one: connecting -> connected -> pause -> connecting ..., until stopped.
 */
export interface Subscriber {
  figures(): SubscriberFigures;
  /** @throws why it is not connected. */
  requireConnected(): Promise<void>;
  /**
   * Takes no more messages, acknowledges what the intake commits while it is drained, says that this process is
   * offline, and goes.
   */
  stop(drainIntake: () => Promise<void>): Promise<void>;
}

export interface SubscriberFigures {
  isConnected: boolean;
  /** These three since the start. */
  connections: number;
  received: number;
  committed: number;
  /** Received and not committed yet. */
  heldMessages: number;
  heldBytes: number;
  /** Topics subscribed to, and those the broker refuses. */
  subscribed: number;
  refused: number;
}

export interface SubscriberOptions {
  address: BrokerAddress;
  clientId: string;
  /** Null to find out which the broker speaks. */
  protocolVersion: ProtocolVersion | null;
  /** Of subscriptions: `auto` where the broker says that it has shared ones. */
  shared: 'auto' | 'on' | 'off';
  group: string;
  /** How long the broker keeps messages for a process that is away, in seconds. */
  sessionExpiry: number;
  /** In seconds. */
  keepalive?: number;
  mostHeld?: { messages: number; bytes: number };
  intake: Intake;
  registry: Registry;
  /** Topics that readers had. */
  retiredTopics(): Promise<readonly string[]>;
  log: Logger;
}

/** Starts to connect; a broker that is not there is tried again for as long as it takes. */
export function startSubscriber(options: SubscriberOptions): Subscriber {
  const { registry, clientId, mostHeld = MOST_HELD } = options;
  const { host, port } = options.address;
  const log = options.log.child({ broker: port === undefined ? host : `${host}:${port}`, clientId });
  const statusTopic = statusTopicOf(clientId);
  const counts = { connections: 0, received: 0, committed: 0 };
  const held = new HeldMessages(mostHeld);
  const backOff = new BackOff(RECONNECT);
  const version = new VersionChoice(options.protocolVersion);
  const stopping = new AbortController();
  let current: { connection: BrokerConnection; subscriptions: Subscriptions } | null = null;
  let lastFault = new Error('not connected yet');

  const onDelivery = takeDeliveries({
    intake: options.intake,
    held,
    stopping: stopping.signal,
    onReceived: (topic) => {
      counts.received += 1;
      if (registry.byTopic(topic) === undefined) {
        current?.subscriptions.drop(topic);
      }
    },
    onCommitted: () => {
      counts.committed += 1;
    },
    onFault: (err, topic) => {
      const { orgId, readerId } = registry.byTopic(topic) ?? {};
      log.error({ err, topic, orgId, readerId }, 'A message could not be recorded; it is taken again');
    },
  });

  const open = () =>
    openConnection({
      address: options.address,
      clientId,
      protocolVersion: version.current,
      keepalive: options.keepalive ?? KEEPALIVE,
      sessionExpiry: options.sessionExpiry,
      receiveMaximum: Math.min(mostHeld.messages, MOST_IN_FLIGHT),
      will: { topic: statusTopic, payload: OFFLINE_STATUS },
      signal: stopping.signal,
      onDelivery,
    });

  const subscriptionsOf = (connection: BrokerConnection) => {
    const isShared =
      options.shared === 'on' || (options.shared === 'auto' && connection.hasSharedSubscriptions === true);
    return new Subscriptions({
      connection,
      group: options.group,
      isShared,
      wanted: () => registry.topics(),
      retired: options.retiredTopics,
      onRefused: (topic, reasonCode, retryIn) =>
        log.warn({ topic, reasonCode, retryIn }, 'The broker refuses a subscription; it is asked again'),
      onFault: (err) => log.warn({ err }, 'The subscriptions could not be brought up to date'),
    });
  };

  /** From an attempt to connect to the connection's end. @returns why it ended, and how long it lasted in milliseconds. */
  const connectOnce = async (): Promise<{ fault: Error; lasted: number }> => {
    const connection = await open();
    const since = performance.now();
    version.worked();
    counts.connections += 1;
    const subscriptions = subscriptionsOf(connection);
    current = { connection, subscriptions };
    log.info(
      {
        mqtt: version.current === 5 ? '5' : '3.1.1',
        isResumed: connection.isResumed,
        isShared: subscriptions.isShared,
      },
      subscriptions.isShared
        ? 'connected to the broker'
        : 'connected to the broker; without shared subscriptions only one ingest process may run',
    );
    connection.publishRetained(statusTopic, onlineStatus(new Date()));
    subscriptions.begin();
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
      report(log, { fault, lasted, retryIn, isNews: lasted > 0 || fault.message !== lastFault.message });
      lastFault = fault;
      await pause(retryIn, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };

  const stopFollowing = registry.onChange(() => current?.subscriptions.follow());
  const living = live();
  return {
    figures: () => ({
      ...counts,
      isConnected: current !== null,
      heldMessages: held.messages,
      heldBytes: held.bytes,
      subscribed: current?.subscriptions.held ?? 0,
      refused: current?.subscriptions.refused ?? 0,
    }),
    requireConnected: async () => {
      if (current === null) {
        throw new Error(`not connected to the broker: ${messageOf(lastFault)}`);
      }
    },
    stop: async (drainIntake) => {
      stopFollowing();
      stopping.abort();
      await drainIntake();
      // What was committed last is acknowledged in this turn.
      await nextTurn();
      current?.connection.publishRetained(statusTopic, OFFLINE_STATUS);
      await current?.connection.close();
      await living;
    },
  };
}

/** In seconds. A broker that vanished without a word is missed after one and a half times that. */
const KEEPALIVE = 15;

/** The largest Receive Maximum of MQTT 5. */
const MOST_IN_FLIGHT = 65_535;

/** Milliseconds between attempts to connect, and how long a connection lasts for the next attempt to be the first. */
const RECONNECT = { first: 100, longest: 3_000 };
const STABLE = 5_000;

/** The same fault again and again is said once. */
function report(
  log: Logger,
  { fault, lasted, retryIn, isNews }: { fault: Error; lasted: number; retryIn: number; isNews: boolean },
): void {
  const about = { reason: messageOf(fault), retryIn };
  if (fault instanceof DisconnectedByBroker && fault.reasonCode === SESSION_TAKEN_OVER) {
    log.error(
      about,
      'Another process has connected with the same client id; set MQTT_CLIENT_ID of each to its own',
    );
  } else if (lasted === 0) {
    log[isNews ? 'warn' : 'debug'](about, 'The broker cannot be reached; it is tried again');
  } else if (lasted < STABLE) {
    log.warn(
      about,
      'The connection to the broker was lost at once; if another process has the same client id, set MQTT_CLIENT_ID',
    );
  } else {
    log.warn(about, 'The connection to the broker was lost');
  }
}
