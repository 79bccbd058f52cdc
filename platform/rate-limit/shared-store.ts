import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';
import type { RedisStore } from './redis-store.ts';
import type { Store } from './store.ts';
import type { Taken } from './take.ts';

export interface SharedStoreOptions {
  connect(onLost: (error: Error) => void): Promise<RedisStore>;
  own: Store;
  log: Logger;
}

/**
 * Shared buckets while the server works, this process's own otherwise: the service does not depend on the
 * server. In the meantime a caller has a fresh budget per process. The first error ends the connection;
 * reconnects back off, and a connection counts as good once it has taken a token, so an outage is reported
 * once at its beginning and once at its end.
 */
export class SharedStore implements Store {
  readonly #options: SharedStoreOptions;
  #server: RedisStore | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  /** Resolves after the first try. If that fails, it goes on trying: a start is no worse than an outage. */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      this.#report(error);
    }
  }

  get isShared(): boolean {
    return this.#server !== null;
  }

  async take(key: string, tokens: number): Promise<Taken> {
    const server = this.#server;
    if (server !== null) {
      try {
        return await server.take(key, tokens);
      } catch (error) {
        this.#lose(server, error);
      }
    }
    return this.#options.own.take(key, tokens);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#server?.close();
    this.#server = null;
  }

  async #connect(): Promise<void> {
    const server = await this.#options.connect((error) => this.#lose(server, error));
    if (this.#isClosed) {
      server.close();
    } else {
      this.#server = server;
    }
  }

  #lose(server: RedisStore, error: unknown): void {
    if (this.#server !== server) {
      return;
    }
    this.#server = null;
    server.close();
    this.#report(error);
  }

  #report(error: unknown): void {
    if (this.#isClosed) {
      return;
    }
    this.#options.log.warn(
      { reason: messageOf(error) },
      'Rate limits are not shared: the server at REDIS_URL cannot be used; each process counts on its own',
    );
    this.#reconnectAfter(FIRST_PAUSE);
  }

  #reconnectAfter(pause: number): void {
    this.#timer = setTimeout(async () => {
      try {
        await this.#connect();
        if (this.isShared) {
          this.#options.log.info('Rate limits are shared again');
        }
      } catch (error) {
        this.#options.log.debug({ reason: messageOf(error) }, 'Server at REDIS_URL still cannot be used');
        if (!this.#isClosed) {
          this.#reconnectAfter(Math.min(pause * 2, LONGEST_PAUSE));
        }
      }
    }, pause);
  }
}

/** Milliseconds of the first reconnect back-off, and of the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;
