import { greatestOf } from '../../../base/extremes.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { divideSessions } from './divided-sessions.ts';
import { HeldMessages, MOST_HELD, MOST_WAITING } from './held-messages.ts';
import { type Session, type SessionFigures, type SessionSurroundings, startSession } from './session.ts';
import { giveBack, LEASE_SECONDS, leaseSessions, NotAlone } from './sessions/lease-sessions.ts';
import { sessionRecord } from './sessions/session-record.ts';
import { statusTopicOf } from './status.ts';

/**
 * Takes the readers' messages from a broker and acknowledges each after its commit, never before.
 *
 * A process has a session of its own at the broker, and, if readers are divided, its share of the processes'
 * common sessions. `shared` sets how processes divide the readers:
 *
 * - `auto`: each reader belongs to one of the common sessions; the own session only receives what it still
 *   has from before
 * - `on`: shared subscriptions of the own sessions
 * - `off`: ordinary subscriptions of the own session, to all readers; no other process may run
 *
 * Common sessions left over from `auto`, or from a larger number of them, are still held until nothing is
 * subscribed or queued there that no other session has.
 */
export interface Subscriber {
  figures(): SubscriberFigures;
  /** Milliseconds since the broker was last heard by each session; null unless all are held and connected. */
  quietFor(): number | null;
  /** @throws the reason if not connected. */
  requireConnected(): Promise<void>;
  /**
   * Stops taking messages, acknowledges those the intake commits while draining, publishes that this process
   * is offline, and disconnects.
   */
  stop(drainIntake: () => Promise<void>): Promise<void>;
}

export interface SubscriberFigures extends SessionFigures {
  isConnected: boolean;
  heldMessages: number;
  heldBytes: number;
  sessions: number;
  /** Seconds since 1970 when the broker was last found to have lost a session; 0 if never. */
  forgottenAt: number;
}

export interface SubscriberOptions extends Omit<SessionSurroundings, 'held' | 'mostHeld'> {
  /** The broker's host, with its port unless it is the usual one. */
  place: string;
  clientId: string;
  shared: 'auto' | 'on' | 'off';
  sessions: number;
  /**
   * Whether the broker ends a session's connection when another process connects with its client id, which then gets
   * its messages.
   */
  isTakenOver: boolean;
  mostHeld?: { messages: number; bytes: number };
  pool: Pool;
  retiredTopics(): Promise<readonly string[]>;
  /** Called if `shared` is `off` and another process is found: nothing more may be taken. */
  onNotAlone(error: NotAlone): void;
}

export function startSubscriber(options: SubscriberOptions): Subscriber {
  const { pool, registry, clientId, shared, mostHeld = MOST_HELD } = options;
  const log = options.log.child({ broker: options.place });
  const held = new HeldMessages(mostHeld, MOST_WAITING);
  const realm = realmOf(options);
  const { common, sessionOf } = divisionOf(options);

  let ownForgottenAt = 0;
  const start = (id: string, isOwn: boolean): Session =>
    startSession({
      ...options,
      log,
      held,
      mostHeld,
      ...(isOwn ? ownSession(options) : commonSession(id)),
      isWanted: (topic) => sessionOf(topic) === id,
      successorOf: sessionOf,
      record: sessionRecord(pool, { realm, clientId: id, expiry: options.sessionExpiry }),
      onForgotten: () => {
        ownForgottenAt = Date.now() / 1_000;
      },
      ...(isOwn ? { onConnected: () => divided.ask() } : { beforeTakingBack: () => divided.asked() }),
    });

  const own = start(clientId, true);
  const divided = divideSessions({
    ask: (asking) =>
      leaseSessions(pool, {
        ...{ realm, process: clientId, sessions: common, isAlone: shared === 'off', ...asking },
      }).catch((error) => rethrow(error, options)),
    giveBack: (id) => giveBack(pool, { realm, process: clientId, sessions: [id] }),
    start: (id) => start(id, false),
    isConnected: () => own.isConnected(),
    patience: options.isTakenOver ? null : LEASE_SECONDS * 1_000,
    log,
  });
  const all = () => [own, ...divided.all()];
  const stopFollowing = registry.onChange(() => {
    for (const session of all()) {
      session.follow();
    }
  });
  return {
    figures: () => ({
      ...sumOf([own.figures(), ...divided.figures()]),
      ...heldIn(held),
      isConnected: all().every((session) => session.isConnected()),
      sessions: divided.all().length,
      forgottenAt: Math.max(ownForgottenAt, (divided.forgottenAt()?.getTime() ?? 0) / 1_000),
    }),
    quietFor: () => (divided.areLeft() ? null : longestQuiet(all())),
    requireConnected: async () => requireAll(all()),
    stop: async (drainIntake) => {
      stopFollowing();
      await divided.stop();
      await stopAll(all(), drainIntake);
      await giveBackAll(options);
    },
  };
}

/** Sessions among which readers are divided: by order of registration, so that even a few readers are divided evenly. */
function divisionOf({ shared, group, sessions, clientId, registry }: SubscriberOptions): {
  common: string[];
  sessionOf(topic: string): string;
} {
  const common =
    shared === 'auto' ? Array.from({ length: sessions }, (_, index) => `${group}-readers-${index}`) : [];
  return {
    common,
    sessionOf: (topic) => common[(registry.byTopic(topic)?.readerId ?? 0) % common.length] ?? clientId,
  };
}

function ownSession({ clientId, shared, registry, retiredTopics }: SubscriberOptions) {
  return {
    clientId,
    statusTopic: statusTopicOf(clientId),
    isShared: shared === 'on',
    inherited: async () => [...registry.topics(), ...(await retiredTopics())],
  };
}

function commonSession(clientId: string) {
  return { clientId, statusTopic: null, isShared: false, inherited: async () => [] };
}

/** Other processes need not wait for its leases to expire. */
async function giveBackAll({ pool, clientId, log, ...options }: SubscriberOptions): Promise<void> {
  await giveBack(pool, { realm: realmOf(options), process: clientId, sessions: null }).catch((err: unknown) =>
    log.debug({ err }, 'Session leases could not be released; they expire in a few seconds'),
  );
}

function rethrow(error: unknown, { onNotAlone }: Pick<SubscriberOptions, 'onNotAlone'>): never {
  if (error instanceof NotAlone) {
    onNotAlone(error);
  }
  throw error;
}

function sumOf(figures: readonly SessionFigures[]): SessionFigures {
  const sum = (name: keyof SessionFigures) => figures.reduce((total, each) => total + each[name], 0);
  return {
    connections: sum('connections'),
    received: sum('received'),
    committed: sum('committed'),
    subscribed: sum('subscribed'),
    refused: sum('refused'),
  };
}

function heldIn({ messages, bytes, waiting }: HeldMessages) {
  return { heldMessages: messages + waiting.messages, heldBytes: bytes + waiting.bytes };
}

function longestQuiet(sessions: readonly Session[]): number | null {
  const quiet = sessions.map((session) => session.quietFor());
  return quiet.includes(null) ? null : greatestOf(quiet.map(Number));
}

/** @throws the reason if one is not connected. */
function requireAll(sessions: readonly Session[]): void {
  const missing = sessions.find((session) => !session.isConnected());
  if (missing !== undefined) {
    throw new Error(`not connected to the broker: ${missing.fault().message}`);
  }
}

/** The intake is drained once for all. */
async function stopAll(sessions: readonly Session[], drainIntake: () => Promise<void>): Promise<void> {
  let draining: Promise<void> | undefined;
  const drained = () => {
    draining ??= drainIntake();
    return draining;
  };
  await Promise.all(sessions.map((session) => session.stop(drained)));
}

/** Processes that divide the readers of one broker among them. */
export function realmOf({ group, place }: Pick<SubscriberOptions, 'group' | 'place'>): string {
  return `${group}@${place}`;
}
