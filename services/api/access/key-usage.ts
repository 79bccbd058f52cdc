/** A use of a key, and how long ago it was. */
export interface KeyUse {
  id: string;
  secondsAgo: number;
}

export interface KeyUsageOptions {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  write(uses: readonly KeyUse[]): Promise<void>;
}

/**
 * Last use of keys. Requests only note it; all keys are written together now and then. Unwritten uses are kept; at
 * worst, a timestamp is lost.
 */
export class KeyUsage {
  readonly #options: KeyUsageOptions;
  #lastUsed = new Map<string, number>();

  constructor(options: KeyUsageOptions) {
    this.#options = options;
  }

  /** Notes that a key is being used. */
  note(id: string): void {
    this.#keep(id, this.#options.now());
  }

  /** Writes uses noted since the last flush. False if there are none. */
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

/** Only existing keys are noted, so this matters only during an outage. */
const MOST_KEPT = 10_000;
