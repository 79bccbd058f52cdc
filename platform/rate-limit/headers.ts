import type { Headers } from '../http/problem.ts';
import type { Bucket } from './bucket.ts';

/**
 * Rate-limit headers (contract 8). `X-RateLimit-Remaining` exceeds neither the limit per minute nor the
 * burst; `X-RateLimit-Reset` is when it is next at its highest.
 *
 * @param debt microseconds of refill that the bucket lacks; 0 for a free request.
 * @param wallMs milliseconds since 1970. Reset is rounded up to a second in which its promise holds.
 */
export function budgetHeaders(debt: number, bucket: Bucket, wallMs: number): Headers {
  const { perMinute, burst, interval, capacity } = bucket;
  const highest = Math.min(perMinute, burst);
  const remaining = Math.min(highest, Math.floor((capacity - debt) / interval));
  const wait = debt - (capacity - highest * interval);
  const reset = wait > 0 ? Math.ceil((wallMs * 1000 + wait) / MICROS_PER_SECOND) : Math.floor(wallMs / 1000);
  return {
    'X-RateLimit-Limit': String(perMinute),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  };
}

/** Whole seconds, at least 1, until the tokens are available. */
export function retryAfter(debt: number, { interval, capacity }: Bucket, tokens: number): number {
  return Math.max(1, Math.ceil((debt + tokens * interval - capacity) / MICROS_PER_SECOND));
}

const MICROS_PER_SECOND = 1_000_000;
