import type { Logger } from 'pino';
import { heardEverywhere, QUESTION_EVERY_MS, TRUSTED_MS } from '../../base/heard-everywhere.ts';
import { type Listener, listen } from '../../db/timescale/connections/listen.ts';

export interface CredentialRow {
  /** By the database's clock; null if it never expires. */
  seconds_left: number | null;
}

interface CachedCredential<Row> {
  row: Row;
  /** `performance.now()` at expiry; infinite if there is none. */
  expiresAtMs: number;
}

interface CredentialCacheOptions<Row> {
  look(id: string): Promise<Row | null>;
  /** True if every acknowledged revocation has been received. */
  isFresh(): boolean;
  /** Milliseconds on a monotonic clock. */
  now(): number;
}

/**
 * Credentials (API keys, handheld tokens) by id, until any of them changes. Cached only while LISTEN is connected and
 * no change arrived during the look-up. Unknown ids are not cached.
 */
export class CredentialCache<Row extends CredentialRow> {
  readonly #options: CredentialCacheOptions<Row>;
  readonly #kept = new Map<string, { credential: CachedCredential<Row>; until: number }>();
  #generation = 0;

  constructor(options: CredentialCacheOptions<Row>) {
    this.#options = options;
  }

  async get(id: string): Promise<CachedCredential<Row> | null> {
    const { isFresh, now } = this.#options;
    const kept = this.#kept.get(id);
    if (kept !== undefined && isFresh() && now() < kept.until) {
      return kept.credential;
    }
    const generation = this.#generation;
    const askedAt = now();
    const row = await this.#options.look(id);
    if (row === null) {
      return null;
    }
    const lifetime = row.seconds_left === null ? Number.POSITIVE_INFINITY : row.seconds_left * 1000;
    const credential = { row, expiresAtMs: askedAt + lifetime };
    if (isFresh() && generation === this.#generation) {
      this.#keep(id, credential, askedAt + LONGEST_KEPT_MS);
    }
    return credential;
  }

  /** Called when a credential changed, or may have. */
  clear(): void {
    this.#generation += 1;
    this.#kept.clear();
  }

  /**
   * Runs a change that takes effect with the next request, in every process: clears this cache, and waits until the
   * others have been notified or look up again.
   */
  async changing<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = await change();
    this.clear();
    await heardEverywhere();
    return result;
  }

  #keep(id: string, credential: CachedCredential<Row>, until: number): void {
    if (this.#kept.size >= MOST_KEPT) {
      this.#kept.clear();
    }
    this.#kept.set(id, { credential, until });
  }
}

const MOST_KEPT = 10_000;

/** Milliseconds. Bounds the time a revocation can go unnoticed in the worst case. */
const LONGEST_KEPT_MS = 30_000;

/**
 * A credential cache that LISTEN keeps current. While notifications do not arrive, or it is not certain that all did,
 * every request looks its credential up.
 */
export async function startCredentials<Row extends CredentialRow>(
  url: string,
  look: (id: string) => Promise<Row | null>,
  log: Logger,
): Promise<{ cache: CredentialCache<Row>; stop(): Promise<void> }> {
  let isHeard = false;
  const now = () => performance.now();
  let listener: Listener | null = null;
  const cache = new CredentialCache({
    look,
    isFresh: () => {
      listener?.ask();
      return isHeard && listener !== null && now() - listener.heardUntil() < TRUSTED_MS;
    },
    now,
  });
  const hear = (heard: boolean) => {
    isHeard = heard;
    cache.clear();
  };
  const handlers = {
    onNotify: () => cache.clear(),
    onReconnect: () => hear(true),
    onLost: (error: Error) => {
      hear(false);
      log.warn(
        { reason: error.message },
        'Credential changes are not being received; credentials are looked up on every request',
      );
    },
  };
  const listening = await listen(url, ['access_changed'], handlers, { questionEvery: QUESTION_EVERY_MS });
  listener = listening;
  hear(true);
  return { cache, stop: () => listening.close() };
}
