export interface CredentialUse {
  id: string;
  secondsAgo: number;
}

export interface CredentialUsageOptions {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  write(uses: readonly CredentialUse[]): Promise<void>;
}

/**
 * Last use of credentials (API keys, sessions, tokens of handhelds, logins at the broker). Requests only note it; all are
 * written together now and then. Unwritten uses are kept; at worst, a timestamp is lost.
 */
export class CredentialUsage {
  readonly #options: CredentialUsageOptions;
  #lastUsed = new Map<string, number>();

  constructor(options: CredentialUsageOptions) {
    this.#options = options;
  }

  note(id: string): void {
    this.#keep(id, this.#options.now());
  }

  /** @returns false if there was nothing to write. */
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

/** Only existing credentials are noted, so this matters during an outage only. */
const MOST_KEPT = 10_000;
