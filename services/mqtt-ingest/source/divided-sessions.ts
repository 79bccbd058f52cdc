import type { Logger } from 'pino';
import { repeat } from '../../../platform/runtime/repeat.ts';
import type { Session, SessionFigures } from './session.ts';
import { type Asking, LEASE_SECONDS, type Lease } from './sessions/lease-sessions.ts';

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
export interface DividedSessions {
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

export interface DividedOptions {
  ask(asking: Pick<Asking, 'isConnected' | 'leaving'>): Promise<Lease>;
  giveBack(clientId: string): Promise<void>;
  start(clientId: string): Session;
  isConnected(): boolean;
  /** Milliseconds for which sessions are held without a renewed lease; null for ever. */
  patience: number | null;
  log: Logger;
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

/** Milliseconds between renewals: three within a lease. */
const ROUND = (LEASE_SECONDS * 1_000) / 4;

/** Milliseconds to commit a session's messages; the rest goes to the next holder. */
const DRAIN_PATIENCE = 5_000;
