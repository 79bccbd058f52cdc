import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { messageOf } from '../../base/errors.ts';
import type { Limiter } from '../http/entrance.ts';
import { Problem } from '../http/problem.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import {
  type Bucket,
  bucketOf,
  budgetHeaders,
  MemoryStore,
  retryAfter,
  type Store,
  type Taken,
} from './bucket.ts';
import type { RedisStore } from './redis-store.ts';

export interface Limits<Context> {
  perMinute: number;
  burst: number;
  /** Redis server to share buckets on; null for counts of this process alone. */
  redisUrl: string | null;
  /** Names the caller's bucket; names of different kinds of caller must not overlap. */
  nameOf(context: Context): string;
}

export interface LimiterParts {
  log: Logger;
  registry: Registry;
  lifecycle: Lifecycle;
  clocks: Clocks;
}

export interface Clocks {
  /** Microseconds on a clock that never goes back, even if the machine's does. */
  monotonic(): number;
  wall(): number;
}

export const MACHINE_CLOCKS: Clocks = {
  monotonic: () => Math.floor(performance.now() * 1000),
  wall: Date.now,
};

/**
 * Starts the rate limiter, shared between processes if REDIS_URL is set. While that server cannot be used, at the start
 * too, the process is ready and counts alone (`tagtrail_rate_limit_degraded`).
 */
export async function startLimiter<Context>(
  { perMinute, burst, redisUrl, nameOf }: Limits<Context>,
  parts: LimiterParts,
): Promise<Limiter<Context>> {
  const bucket = bucketOf(perMinute, burst);
  const own = new MemoryStore(bucket, parts.clocks.monotonic);
  const store = redisUrl === null ? own : await startSharing(redisUrl, bucket, own, parts);
  return createLimiter(store, bucket, nameOf, parts.clocks.wall);
}

async function startSharing(
  url: string,
  bucket: Bucket,
  own: Store,
  { log, registry, lifecycle }: LimiterParts,
): Promise<Store> {
  // Loaded on demand: the client takes 3 MB.
  const { connectRedis } = await import('./redis-store.ts');
  const connect = (onLost: (error: Error) => void) => connectRedis(url, bucket, onLost);
  const store = new SharedStore({ connect, own, log });
  await lifecycle.start(
    'rate limits',
    () => store.start(),
    () => store.close(),
  );
  new Gauge({
    name: 'tagtrail_rate_limit_degraded',
    help: '1 while the server at REDIS_URL cannot be used and this process limits by its own count.',
    registers: [registry],
    collect() {
      this.set(store.isShared ? 0 : 1);
    },
  });
  return store;
}

/**
 * Rate-limits callers by a token bucket each (contract 8). With the memory store a request costs 0.4 to 0.8
 * µs, headers included (Node.js 24, one core of an EPYC).
 *
 * @param nameOf the caller's bucket; names of different kinds of caller must not overlap.
 * @param wall milliseconds since 1970, for the headers only.
 */
function createLimiter<Context>(
  store: Store,
  bucket: Bucket,
  nameOf: (context: Context) => string,
  wall: () => number,
): Limiter<Context> {
  const take = async (context: Context, tokens: number, toTryAgain: number) => {
    const { isAllowed, debt } = await store.take(nameOf(context), tokens);
    const headers = budgetHeaders(debt, bucket, wall());
    if (!isAllowed) {
      const seconds = retryAfter(debt, bucket, toTryAgain);
      throw new Problem('rate_limited', `Retry after ${seconds} seconds`, {
        headers: { ...headers, 'Retry-After': String(seconds) },
      });
    }
    return headers;
  };
  return {
    idle: () => budgetHeaders(0, bucket, wall()),
    take: (context) => take(context, 1, 1),
    takeMore: (context, more) => {
      // A full bucket must suffice for any request, so that none is refused for ever.
      const tokens = Math.min(more, bucket.burst - 1);
      return take(context, tokens, tokens + 1);
    },
  };
}

interface SharedStoreOptions {
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
class SharedStore implements Store {
  readonly #options: SharedStoreOptions;
  #server: RedisStore | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  /** Resolves after the first try. If that fails, it keeps trying: a start is no worse than an outage. */
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
