import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Limiter } from '../http/entrance.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { type Bucket, bucketOf } from './bucket.ts';
import { createLimiter } from './limiter.ts';
import { MemoryStore } from './memory-store.ts';
import { SharedStore } from './shared-store.ts';
import type { Store } from './store.ts';

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
