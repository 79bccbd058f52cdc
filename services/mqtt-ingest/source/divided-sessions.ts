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
  /** Milliseconds for which sessions are held without a renewed lease; null as long as it takes. */
  patience: number | null;
  log: Logger;
}

export function divideSessions(options: DividedOptions): DividedSessions {
  const { ask, giveBack, start, isConnected, patience, log } = options;
  const running = new Map<string, Session>();
  const leaving = new Map<string, Promise<void>>();
  const gone: SessionFigures = { connections: 0, received: 0, committed: 0, subscribed: 0, refused: 0 };
  let forgottenAt: Date | null = null;
  let underWay: Promise<void> | null = null;
  let isStopped = false;
  let areLeft = false;
  let expiring: NodeJS.Timeout | undefined;

  const end = async (clientId: string, session: Session, patience: number): Promise<void> => {
    running.delete(clientId);
    await session.stop(() => session.drain(patience));
    const { connections, received, committed } = session.figures();
    gone.connections += connections;
    gone.received += received;
    gone.committed += committed;
  };
  const leave = async (clientId: string, session: Session): Promise<void> => {
    await end(clientId, session, DRAIN_PATIENCE);
    await giveBack(clientId);
  };

  const track = (clientId: string, work: Promise<void>): void => {
    leaving.set(
      clientId,
      work.catch(onFault).finally(() => leaving.delete(clientId)),
    );
  };

  const leaveToOthers = (): void => {
    if (running.size > 0) {
      log.warn('Session leases could not be renewed; the sessions are left to other processes');
    }
    areLeft = true;
    for (const [clientId, session] of running) {
      track(clientId, end(clientId, session, 0));
    }
  };

  const round = async (): Promise<void> => {
    const askedAt = performance.now();
    const lease = await ask({ isConnected: isConnected(), leaving: new Set(leaving.keys()) });
    if (isStopped) {
      return;
    }
    clearTimeout(expiring);
    if (patience !== null) {
      expiring = setTimeout(leaveToOthers, askedAt + patience - performance.now());
    }
    forgottenAt = lease.forgottenAt;
    const held = new Set(lease.held);
    const before = [...running.keys()];
    for (const [clientId, session] of running) {
      if (!held.has(clientId)) {
        track(clientId, end(clientId, session, 0));
      }
    }
    for (const clientId of held) {
      if (!running.has(clientId) && !leaving.has(clientId)) {
        running.set(clientId, start(clientId));
      }
    }
    areLeft &&= lease.held.some((clientId) => !running.has(clientId));
    for (const clientId of lease.surplus) {
      const session = running.get(clientId);
      if (session !== undefined) {
        track(clientId, leave(clientId, session));
      }
    }
    const after = [...running.keys()].toSorted();
    if (after.join() !== before.toSorted().join()) {
      log.info({ sessions: after }, 'Sessions rebalanced; this process serves the readers of these');
    }
  };
  const onFault = (err: unknown) => {
    log.debug({ err }, 'Session leases could not be renewed; will retry');
  };
  const asked = () => {
    underWay ??= round().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  const asking = repeat(ROUND, asked, onFault);
  return {
    all: () => [...running.values()],
    figures: () => [gone, ...[...running.values()].map((session) => session.figures())],
    forgottenAt: () => forgottenAt,
    areLeft: () => areLeft,
    ask: () => void asked().catch(onFault),
    asked: () =>
      asked().then(
        () => true,
        (err: unknown) => {
          onFault(err);
          return false;
        },
      ),
    stop: async () => {
      isStopped = true;
      clearTimeout(expiring);
      await asking.stop();
      await Promise.all(leaving.values());
    },
  };
}

/** Milliseconds between renewals: three within a lease. */
const ROUND = (LEASE_SECONDS * 1_000) / 4;

/** Milliseconds to commit a session's messages; the rest goes to the next holder. */
const DRAIN_PATIENCE = 5_000;
