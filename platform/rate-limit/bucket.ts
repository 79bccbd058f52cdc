/**
 * A token bucket, measured in microseconds of refill: a token is `interval` of them, all tokens are `capacity`. Both
 * are whole numbers, so that nothing is rounded however long a bucket lives.
 */
export interface Bucket {
  /** Tokens that are refilled a minute. */
  perMinute: number;
  /** Tokens that fit in. */
  burst: number;
  /** Microseconds in which one token is refilled. */
  interval: number;
  /** Microseconds in which an empty bucket is refilled. */
  capacity: number;
}

/**
 * @param perMinute 1 to 60,000. Where a minute cannot be divided by it, tokens come the fraction of a microsecond
 * sooner than promised (at most 0.1 %), never later.
 * @param burst 1 or more.
 */
export function bucketOf(perMinute: number, burst: number): Bucket {
  const interval = Math.floor(MICROS_PER_MINUTE / perMinute);
  return { perMinute, burst, interval, capacity: interval * burst };
}

const MICROS_PER_MINUTE = 60_000_000;
