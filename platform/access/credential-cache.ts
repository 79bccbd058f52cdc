import { heardEverywhere } from '../../base/heard-everywhere.ts';

/** What every credential that can be looked up has. */
export interface CredentialRow {
  /** By the database's clock; null for one that does not expire. */
  seconds_left: number | null;
}

/** A credential as it was looked up, with its expiry on this process's monotonic clock. */
export interface CachedCredential<Row> {
  row: Row;
  /** `performance.now()` at which it expires; infinite for one that does not. */
  expiresAtMs: number;
}

export interface CredentialCacheOptions<Row> {
  look(id: string): Promise<Row | null>;
  /** Whether every change of credentials whose revocation was answered has been heard of. */
  isFresh(): boolean;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
}

/**
 * Credentials (API keys, handhelds' tokens) that were looked up, until any of them changes. Only what was looked up
 * while changes are heard of is kept, and only if none was heard of during the look-up: one revoked meanwhile must not
 * stay. Unknown ones are not kept.
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

  /** Forgets everything: some credential changed, or may have. */
  clear(): void {
    this.#generation += 1;
    this.#kept.clear();
  }

  /**
   * Makes a change of credentials that counts from the next request on, here and in every other process: what was kept
   * is forgotten here, and the others have heard of it, or look up.
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

/** Milliseconds. Bounds how long a revocation can stay unheard whatever goes wrong. */
const LONGEST_KEPT_MS = 30_000;
