/**
 * A token bucket in microseconds of refill: a token is `interval`, all tokens are `capacity`. Both are integers, so
 * nothing is rounded however long a bucket lives.
 */
export interface Bucket {
  perMinute: number;
  burst: number;
  /** Microseconds to refill one token. */
  interval: number;
  /** Microseconds to refill an empty bucket. */
  capacity: number;
}

/**
 * @param perMinute 1 to 60,000. Where a minute is not divisible by it, tokens come a fraction of a microsecond early
 * (at most 0.1 %), never late.
 * @param burst 1 or more.
 */
export function bucketOf(perMinute: number, burst: number): Bucket {
  const interval = Math.floor(MICROS_PER_MINUTE / perMinute);
  return { perMinute, burst, interval, capacity: interval * burst };
}

const MICROS_PER_MINUTE = 60_000_000;
