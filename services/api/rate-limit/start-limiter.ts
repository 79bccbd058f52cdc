import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { AppError, messageOf } from '../../shared/errors.ts';
import type { Limiter } from '../../shared/http/app.ts';
import type { Lifecycle } from '../../shared/runtime/lifecycle.ts';
import type { ApiContext } from '../context.ts';
import { type Bucket, bucketOf } from './bucket.ts';
import { createLimiter } from './limiter.ts';
import { MemoryStore } from './memory-store.ts';
import { connectRedis } from './redis-store.ts';
import type { RateLimitConfig } from './settings.ts';
import { SharedStore } from './shared-store.ts';
import type { Store } from './store.ts';

export interface LimiterParts {
  log: Logger;
  registry: Registry;
  lifecycle: Lifecycle;
  clocks: Clocks;
}

export interface Clocks {
  /** Microseconds on a clock that never goes back, whatever is done to the machine's. */
  monotonic(): number;
  /** Milliseconds since 1970. */
  wall(): number;
}

export const MACHINE_CLOCKS: Clocks = {
  monotonic: () => Math.floor(performance.now() * 1000),
  wall: Date.now,
};

/**
 * Starts what limits callers: by this process's own count, or by one that all processes share through REDIS_URL.
 *
 * @throws AppError `unavailable`, naming REDIS_URL, if that server cannot be used. One that fails later is done
 * without, and `tagtrail_rate_limit_degraded` says so; the process stays ready.
 */
export async function startLimiter(
  config: RateLimitConfig,
  parts: LimiterParts,
): Promise<Limiter<Pick<ApiContext, 'apiKeyId'>>> {
  const bucket = bucketOf(config.RATE_LIMIT_PER_MINUTE, config.RATE_LIMIT_BURST);
  const own = new MemoryStore(bucket, parts.clocks.monotonic);
  const url = config.REDIS_URL;
  const store = url === null ? own : await startSharing(url, bucket, own, parts);
  return createLimiter(store, bucket, parts.clocks.wall);
}

async function startSharing(
  url: string,
  bucket: Bucket,
  own: Store,
  { log, registry, lifecycle }: LimiterParts,
): Promise<Store> {
  const connect = (onLost: (error: Error) => void) => connectRedis(url, bucket, onLost);
  const store = new SharedStore({ connect, own, log });
  await lifecycle.start(
    'rate limits',
    () => store.connect().catch((error: unknown) => unusable(url, error)),
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

function unusable(url: string, error: unknown): never {
  const reason = messageOf(error);
  throw new AppError(
    'unavailable',
    `The Redis server at REDIS_URL (${new URL(url).host}) cannot be used: ${reason}`,
    { cause: error },
  );
}
