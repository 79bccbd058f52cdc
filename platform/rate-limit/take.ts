import type { Bucket } from './bucket.ts';

/** What asking for tokens came to. */
export interface Taken {
  isAllowed: boolean;
  /** Microseconds of refill that the bucket lacks now. */
  debt: number;
}

/**
 * Takes tokens, all or none, by the generic cell rate algorithm: the same as a token bucket, without a process that refills it.
 * All there is to know of a bucket is when it will be full; after this call that is at `now + debt`. A refused call
 * changes nothing.
 *
 * @param fullAt microseconds; in the past for a full bucket. No bucket is worse than empty: what says otherwise comes
 * from a clock that was set back, or from before the limit was changed.
 * @param now microseconds, on the same clock.
 */
export function take(fullAt: number, now: number, { interval, capacity }: Bucket, tokens: number): Taken {
  const debt = Math.min(Math.max(fullAt - now, 0), capacity);
  const cost = tokens * interval;
  return debt + cost <= capacity ? { isAllowed: true, debt: debt + cost } : { isAllowed: false, debt };
}
