import { Readable } from 'node:stream';

interface Session {
  login: string;
  /** Identifiers of publishes at QoS 2 that were taken and are not released. */
  unreleased: Set<number>;
  usedAt: number;
}

interface Sent {
  messageId?: number;
}

/**
 * The embedded broker's record of readers' sessions: the identifiers of their unreleased publishes, and nothing else.
 * Readers may not subscribe, so nothing is queued for them; nothing is retained; a will ends with its connection.
 *
 * A login keeps at most {@link MOST_SESSIONS} sessions and {@link MOST_UNRELEASED} identifiers. The session that was used
 * longest ago makes room for another, and one that nobody resumes ends after {@link KEPT_MS}: a publish that its reader
 * repeats after that is a duplicate by its reads, as it is at QoS 1.
 *
 * In the form that aedes asks for.
 */
export class ReaderSessions {
  /** By login and client id, least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #logins = new Map<string, { sessions: Set<string>; unreleased: number }>();
  readonly #now: () => number;

  /** @param now milliseconds on a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get unreleased(): number {
    return [...this.#logins.values()].reduce((sum, { unreleased }) => sum + unreleased, 0);
  }

  async setup(): Promise<void> {}
  async destroy(): Promise<void> {}

  async incomingStorePacket({ id }: { id: string }, { messageId = 0 }: Sent): Promise<void> {
    const session = this.#use(id);
    if (session.unreleased.has(messageId)) {
      return;
    }
    if (session.unreleased.size >= MOST_UNRELEASED_OF_SESSION) {
      throw new Error(`${MOST_UNRELEASED_OF_SESSION} QoS 2 publishes were never released`);
    }
    session.unreleased.add(messageId);
    const ofLogin = this.#ofLogin(session.login);
    ofLogin.unreleased += 1;
    for (const oldest of ofLogin.sessions) {
      if (
        oldest === id ||
        (ofLogin.sessions.size <= MOST_SESSIONS && ofLogin.unreleased <= MOST_UNRELEASED)
      ) {
        break;
      }
      this.#end(oldest);
    }
  }

  async incomingGetPacket({ id }: { id: string }, { messageId = 0 }: Sent): Promise<Sent> {
    if (this.#sessions.get(id)?.unreleased.has(messageId) !== true) {
      throw new Error('no such packet');
    }
    return { messageId };
  }

  async incomingDelPacket({ id }: { id: string }, { messageId = 0 }: Sent): Promise<void> {
    const session = this.#sessions.get(id);
    if (session?.unreleased.delete(messageId) !== true) {
      throw new Error('no such packet');
    }
    this.#ofLogin(session.login).unreleased -= 1;
    if (session.unreleased.size === 0) {
      this.#end(id);
    }
  }

  async cleanIncoming({ id }: { id: string }): Promise<void> {
    this.#end(id);
  }

  async storeRetained(): Promise<void> {}
  async addSubscriptions(): Promise<void> {}
  async removeSubscriptions(): Promise<void> {}
  async cleanSubscriptions(): Promise<void> {}
  async outgoingEnqueue(): Promise<void> {}
  async outgoingEnqueueCombi(): Promise<void> {}
  async outgoingClearMessageId(): Promise<void> {}
  async putWill(): Promise<void> {}
  async getWill(): Promise<void> {}
  async delWill(): Promise<void> {}

  async outgoingUpdate(): Promise<void> {
    throw new Error('no such packet');
  }

  async subscriptionsByClient(): Promise<[]> {
    return [];
  }

  async subscriptionsByTopic(): Promise<[]> {
    return [];
  }

  async countOffline(): Promise<{ subsCount: number; clientsCount: number }> {
    return { subsCount: 0, clientsCount: 0 };
  }

  outgoingStream(): Readable {
    return Readable.from([]);
  }

  createRetainedStream(): Readable {
    return Readable.from([]);
  }

  createRetainedStreamCombi(): Readable {
    return Readable.from([]);
  }

  streamWill(): Readable {
    return Readable.from([]);
  }

  getClientList(): Readable {
    return Readable.from([]);
  }

  #use(id: string): Session {
    const now = this.#now();
    const login = id.slice(0, id.indexOf('/'));
    const session = this.#sessions.get(id) ?? { login, unreleased: new Set(), usedAt: now };
    session.usedAt = now;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const { sessions } = this.#ofLogin(login);
    sessions.delete(id);
    sessions.add(id);
    for (const [oldest, { usedAt }] of this.#sessions) {
      if (now - usedAt < KEPT_MS) {
        break;
      }
      this.#end(oldest);
    }
    return session;
  }

  #ofLogin(login: string): { sessions: Set<string>; unreleased: number } {
    const known = this.#logins.get(login) ?? { sessions: new Set(), unreleased: 0 };
    this.#logins.set(login, known);
    return known;
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) {
      this.#sessions.delete(id);
      const ofLogin = this.#ofLogin(session.login);
      ofLogin.sessions.delete(id);
      ofLogin.unreleased -= session.unreleased.size;
      if (ofLogin.sessions.size === 0) {
        this.#logins.delete(session.login);
      }
    }
  }
}

const MOST_SESSIONS = 100;
const MOST_UNRELEASED = 10_000;

/** As many as the broker takes on a connection. */
const MOST_UNRELEASED_OF_SESSION = 1_000;

/** Milliseconds. */
const KEPT_MS = 3_600_000;
