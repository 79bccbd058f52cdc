import type { Logger } from 'pino';
import { repeat } from '../../../platform/runtime/repeat.ts';
import type { Session, SessionFigures } from './session.ts';
import { type Asking, LEASE_SECONDS, type Lease } from './sessions/lease-sessions.ts';

/**
 * The sessions among which the readers are divided, as far as this process has them.
 *
 * Each is a persistent session of its own at the broker, with ordinary subscriptions, and any process can connect as
 * it: whoever does gets what the broker has kept meanwhile. The database says who has which, for a few seconds at a
 * time. That keeps two from being in each other's way; it is not what keeps messages from being lost or doubled: should
 * two connect as the same session, the broker ends the connection of the first, and what that had not acknowledged
 * comes to the second.
 *
 *   free -> held (connected) -> given back (takes nothing more, commits and acknowledges what it had, disconnects) -> free
 *
 * While the database is away nobody can take anything, so what is held is kept.
 */
export interface DividedSessions {
  all(): Session[];
  figures(): SessionFigures[];
  /** When the broker was last found to have lost a session, whoever found it; null if never. */
  forgottenAt(): Date | null;
  /** Asks for the share at once: something has changed. */
  ask(): void;
  /** Resolves when it has been asked whose is which. */
  asked(): Promise<void>;
  /** Asks no more. The sessions are the caller's to stop. */
  stop(): Promise<void>;
}

export interface DividedOptions {
  ask(asking: Pick<Asking, 'isConnected' | 'leaving'>): Promise<Lease>;
  giveBack(clientId: string): Promise<void>;
  start(clientId: string): Session;
  /** Whether the process has the broker. */
  isConnected(): boolean;
  log: Logger;
}

export function divideSessions({ ask, giveBack, start, isConnected, log }: DividedOptions): DividedSessions {
  const running = new Map<string, Session>();
  const leaving = new Map<string, Promise<void>>();
  const gone: SessionFigures = { connections: 0, received: 0, committed: 0, subscribed: 0, refused: 0 };
  let forgottenAt: Date | null = null;
  let underWay: Promise<void> | null = null;
  let isStopped = false;

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

  const round = async (): Promise<void> => {
    const lease = await ask({ isConnected: isConnected(), leaving: new Set(leaving.keys()) });
    if (isStopped) {
      return;
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
    ask: () => void asked().catch(onFault),
    asked: () => asked().catch(onFault),
    stop: async () => {
      isStopped = true;
      await asking.stop();
      await Promise.all(leaving.values());
    },
  };
}

/** Milliseconds between two times of asking: three within the time for which a session is held. */
const ROUND = (LEASE_SECONDS * 1_000) / 4;

/** Milliseconds that what a session had taken may take to be committed; what is not comes to the next holder. */
const DRAIN_PATIENCE = 5_000;
