import type { Logger } from 'pino';
import { greatestOf } from '../../../base/extremes.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { repeat } from '../../../platform/runtime/repeat.ts';
import { HeldMessages, MOST_HELD, MOST_WAITING } from './held-messages.ts';
import { type Session, type SessionFigures, type SessionSurroundings, startSession } from './session.ts';
import {
  type Asking,
  giveBack,
  LEASE_SECONDS,
  type Lease,
  leaseSessions,
  NotAlone,
} from './sessions/lease-sessions.ts';
import { sessionRecord } from './sessions/session-record.ts';
import { statusTopicOf } from './status.ts';

/**
 * This process's share of the sessions among which readers are divided.
 *
 * Each is a persistent session at the broker with ordinary subscriptions, and any process can connect as it
 * to receive its queue. The database leases sessions to processes for a few seconds at a time. The lease
 * avoids contention; it is not what prevents loss or duplicates: if two processes connect as one session, the
 * broker ends the first connection, and the second receives everything that was unacknowledged.
 *
 * free -> held (connected) -> given back (takes no more messages, commits and acknowledges those it had,
 * disconnects) -> free
 *
 * While the database is away sessions cannot be leased, so held ones are kept. Not so where another that connects gets
 * nothing before the first has left (`patience`): a process that alone has lost the database would keep its readers'
 * messages from all others.
 */
interface DividedSessions {
  all(): Session[];
  figures(): SessionFigures[];
  /** Last time any process found that the broker had lost a session; null if never. */
  forgottenAt(): Date | null;
  /** True from the end of this process's patience until it holds its sessions again. */
  areLeft(): boolean;
  /** Renews the leases at once, after a change. */
  ask(): void;
  /** @returns false if they could not be renewed. */
  asked(): Promise<boolean>;
  /** Stops renewing. The caller stops the sessions. */
  stop(): Promise<void>;
}

interface DividedOptions {
  ask(asking: Pick<Asking, 'isConnected' | 'leaving'>): Promise<Lease>;
  giveBack(clientId: string): Promise<void>;
  start(clientId: string): Session;
  isConnected(): boolean;
  /** Milliseconds for which sessions are held without a renewed lease; null for ever. */
  patience: number | null;
  log: Logger;
}

/** Milliseconds between renewals: three within a lease. */
const ROUND = (LEASE_SECONDS * 1_000) / 4;

/** Milliseconds to commit a session's messages; the rest goes to the next holder. */
const DRAIN_PATIENCE = 5_000;

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

export function divideSessions(options: DividedOptions): DividedSessions {
  return new LeasedSessions(options);
}

class LeasedSessions implements DividedSessions {
  readonly #options: DividedOptions;
  readonly #running = new Map<string, Session>();
  readonly #leaving = new Map<string, Promise<void>>();
  /** The counts of sessions that ended. */
  readonly #gone: SessionFigures = { connections: 0, received: 0, committed: 0, subscribed: 0, refused: 0 };
  readonly #asking: ReturnType<typeof repeat>;
  #forgottenAt: Date | null = null;
  #underWay: Promise<void> | null = null;
  #isStopped = false;
  #areLeft = false;
  #expiring: NodeJS.Timeout | undefined;

  constructor(options: DividedOptions) {
    this.#options = options;
    this.#asking = repeat(
      ROUND,
      () => this.#renewed(),
      (err) => this.#noteFault(err),
    );
  }

  all(): Session[] {
    return [...this.#running.values()];
  }

  figures(): SessionFigures[] {
    return [this.#gone, ...this.all().map((session) => session.figures())];
  }

  forgottenAt(): Date | null {
    return this.#forgottenAt;
  }

  areLeft(): boolean {
    return this.#areLeft;
  }

  ask(): void {
    this.asked();
  }

  asked(): Promise<boolean> {
    return this.#renewed().then(
      () => true,
      (err: unknown) => {
        this.#noteFault(err);
        return false;
      },
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#expiring);
    await this.#asking.stop();
    await Promise.all(this.#leaving.values());
  }

  #renewed(): Promise<void> {
    this.#underWay ??= this.#round().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #round(): Promise<void> {
    const { ask, start, isConnected, patience, log } = this.#options;
    const askedAt = performance.now();
    const lease = await ask({ isConnected: isConnected(), leaving: new Set(this.#leaving.keys()) });
    if (this.#isStopped) {
      return;
    }
    clearTimeout(this.#expiring);
    if (patience !== null) {
      const left = askedAt + patience - performance.now();
      this.#expiring = setTimeout(() => this.#leaveToOthers(), left);
    }
    this.#forgottenAt = lease.forgottenAt;
    const held = new Set(lease.held);
    const before = [...this.#running.keys()];
    for (const [clientId, session] of this.#running) {
      if (!held.has(clientId)) {
        this.#track(clientId, this.#end(clientId, session, 0));
      }
    }
    for (const clientId of held) {
      if (!this.#running.has(clientId) && !this.#leaving.has(clientId)) {
        this.#running.set(clientId, start(clientId));
      }
    }
    this.#areLeft &&= lease.held.some((clientId) => !this.#running.has(clientId));
    for (const clientId of lease.surplus) {
      const session = this.#running.get(clientId);
      if (session !== undefined) {
        this.#track(clientId, this.#giveBack(clientId, session));
      }
    }
    const after = [...this.#running.keys()].toSorted();
    if (after.join() !== before.toSorted().join()) {
      log.info({ sessions: after }, 'Sessions rebalanced; this process now serves these sessions');
    }
  }

  #leaveToOthers(): void {
    if (this.#running.size > 0) {
      this.#options.log.warn('Session leases could not be renewed; the sessions are left to other processes');
    }
    this.#areLeft = true;
    for (const [clientId, session] of this.#running) {
      this.#track(clientId, this.#end(clientId, session, 0));
    }
  }

  #track(clientId: string, work: Promise<void>): void {
    this.#leaving.set(
      clientId,
      work.catch((err) => this.#noteFault(err)).finally(() => this.#leaving.delete(clientId)),
    );
  }

  async #giveBack(clientId: string, session: Session): Promise<void> {
    await this.#end(clientId, session, DRAIN_PATIENCE);
    await this.#options.giveBack(clientId);
  }

  async #end(clientId: string, session: Session, patience: number): Promise<void> {
    this.#running.delete(clientId);
    await session.stop(() => session.drain(patience));
    const { connections, received, committed } = session.figures();
    this.#gone.connections += connections;
    this.#gone.received += received;
    this.#gone.committed += committed;
  }

  #noteFault(err: unknown): void {
    this.#options.log.debug({ err }, 'Session leases could not be renewed; will retry');
  }
}
