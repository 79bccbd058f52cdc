/** A key that was used, and how long ago. */
export interface KeyUse {
  id: string;
  secondsAgo: number;
}

export interface KeyUsageOptions {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  write(uses: readonly KeyUse[]): Promise<void>;
}

/**
 * When keys were used last. Requests only note it; it is written for all keys at once, now and then. What cannot be
 * written is kept until it can be; at the worst, a timestamp is lost.
 */
export class KeyUsage {
  readonly #options: KeyUsageOptions;
  #lastUsed = new Map<string, number>();

  constructor(options: KeyUsageOptions) {
    this.#options = options;
  }

  /** Remembers that a key is used now. */
  note(id: string): void {
    this.#keep(id, this.#options.now());
  }

  /** Writes what was noted since the last time. False if there is nothing to write. */
  async flush(): Promise<boolean> {
    const uses = this.#lastUsed;
    if (uses.size === 0) {
      return false;
    }
    this.#lastUsed = new Map();
    const { now, write } = this.#options;
    try {
      await write([...uses].map(([id, usedAt]) => ({ id, secondsAgo: (now() - usedAt) / 1000 })));
      return true;
    } catch (error) {
      const newer = this.#lastUsed;
      this.#lastUsed = uses;
      for (const [id, usedAt] of newer) {
        this.#keep(id, usedAt);
      }
      throw error;
    }
  }

  #keep(id: string, usedAt: number): void {
    if (this.#lastUsed.size < MOST_KEPT || this.#lastUsed.has(id)) {
      this.#lastUsed.set(id, usedAt);
    }
  }
}

/** Only keys that exist are noted, so this bounds an outage of the database. */
const MOST_KEPT = 10_000;
