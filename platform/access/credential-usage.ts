import type { Logger } from 'pino';
import { repeatFlushing } from '../runtime/repeat.ts';

export interface CredentialUse {
  id: string;
  secondsAgo: number;
}

interface CredentialUsageOptions {
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

/** Only existing credentials are recorded, so this bound matters during an outage only. */
const MOST_KEPT = 10_000;

type UsedCredentials =
  | 'API keys'
  | 'sessions'
  | 'tokens of handhelds'
  | 'logins of readers'
  | 'logins of consumers';

/** Flushes uses every {@link PAUSE_MS} and at shutdown. */
export function startCredentialUsage(
  write: (uses: readonly CredentialUse[]) => Promise<void>,
  { log, what, pause = PAUSE_MS }: { log: Logger; what: UsedCredentials; pause?: number },
): { usage: CredentialUsage; stop(): Promise<void> } {
  const usage = new CredentialUsage({ write, now: () => performance.now() });
  const { stop } = repeatFlushing(pause, () => usage.flush(), {
    log,
    lost: `Last use of ${what} cannot be recorded; it is kept for later`,
    back: `Last use of ${what} is recorded again`,
  });
  return { usage, stop };
}

const PAUSE_MS = 5_000;
