import { setTimeout as pause } from 'node:timers/promises';
import { TRUSTED_MS } from '../../../base/heard-everywhere.ts';
import type { Listener } from '../../../db/timescale/connections/listen.ts';

export interface FreshnessOptions {
  /** Loads everything, or at least all that was announced. */
  load(): Promise<{ isWhole: boolean }>;
  onFault(error: unknown): void;
}

/**
 * Tracks the time up to which all committed changes are in effect: the start of the last load of everything, the last answered
 * probe of the LISTEN connection before the last load, or the last one after which nothing announced was left to load. With {@link
 * TRUSTED_MS} and `heardEverywhere`, work done while fresh respects every change whose command has ended.
 *
 * If older, it waits for the next reply, or loads if none comes in time. So a cut LISTEN connection costs one load
 * per {@link TRUSTED_MS} with activity.
 */
export class Freshness {
  /** Loads; resolves when everything announced before the call is in effect. */
  readonly refresh: () => Promise<void>;
  readonly #onFault: FreshnessOptions['onFault'];
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  #listener: Pick<Listener, 'isConnected' | 'heardUntil' | 'ask'> = NOT_LISTENING;
  /** `performance.now()` up to which everything committed is in effect. */
  #asOf = Number.NEGATIVE_INFINITY;
  /** Announcements, and their number before the last load. */
  #announced = 0;
  #loaded = 0;
  /** Milliseconds of the last load of everything. */
  #wholeTook = 0;
  #isCatchingUp = false;
  #isFaultLogged = false;

  constructor({ load, onFault }: FreshnessOptions) {
    this.#onFault = onFault;
    this.refresh = coalesced(async () => {
      const begun = performance.now();
      const announced = this.#announced;
      const heard = this.#listener.heardUntil();
      const { isWhole } = await load();
      this.#wholeTook = isWhole ? performance.now() - begun : this.#wholeTook;
      this.#loaded = announced;
      this.#isFaultLogged = false;
      // Even if more was announced meanwhile: constant changes must hold up nobody for longer than a load.
      this.#know(isWhole ? begun : heard);
      this.heard(this.#listener.heardUntil());
    });
  }

  /** Call once listening; the first load covers earlier announcements. */
  follow(listener: Pick<Listener, 'isConnected' | 'heardUntil' | 'ask'>): void {
    this.#listener = listener;
  }

  announced(): void {
    this.#announced += 1;
    void this.#catchUp();
  }

  /** Called when every announcement before then has been received. */
  heard(until: number): void {
    if (this.#loaded === this.#announced) {
      this.#know(until);
    }
  }

  isFresh(): boolean {
    this.#listener.ask();
    return this.#waiting.length === 0 && performance.now() - this.#asOf < TRUSTED_MS;
  }

  /**
   * Calls `go`, in order of the calls, once the data is fresh as of now.
   *
   * @param onFailure called if a load fails meanwhile; once for several callers that pass the same function.
   */
  whenFresh(go: () => void, onFailure: (error: unknown) => void = () => {}): void {
    if (this.isFresh()) {
      go();
    } else {
      this.#waiting.push({ since: performance.now(), go, onFailure });
      void this.#catchUp();
    }
  }

  close(): void {
    this.#closing.abort();
    this.#know(Number.POSITIVE_INFINITY);
  }

  #know(until: number): void {
    this.#asOf = Math.max(this.#asOf, until);
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (first.since - this.#asOf >= TRUSTED_MS) {
        return;
      }
      this.#waiting.shift();
      first.go();
    }
  }

  async #catchUp(): Promise<void> {
    if (this.#isCatchingUp) {
      return;
    }
    this.#isCatchingUp = true;
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted && (this.#isBehind() || this.#waiting.length > 0)) {
      await (failures > 0 ? pause(RETRY, undefined, { signal }).catch(() => {}) : this.#waitForReply());
      if (!signal.aborted && (this.#isBehind() || this.#waiting.length > 0)) {
        failures = await this.refresh().then(
          () => 0,
          (error: unknown) => this.#fail(error, failures + 1),
        );
      }
    }
    this.#isCatchingUp = false;
  }

  /**
   * Waits for a reply on the LISTEN connection, at most for as long as everything took to load: loading 20,000 readers takes seconds,
   * for which everybody would wait, too.
   */
  async #waitForReply(): Promise<void> {
    const { signal } = this.#closing;
    const until = performance.now() + Math.max(ANSWER_WITHIN, this.#wholeTook);
    while (
      !(signal.aborted || this.#isBehind()) &&
      this.#waiting.length > 0 &&
      this.#listener.isConnected() &&
      performance.now() < until
    ) {
      await pause(ANSWER_WITHIN, undefined, { signal }).catch(() => {});
    }
  }

  #isBehind(): boolean {
    return this.#loaded !== this.#announced;
  }

  #fail(error: unknown, failures: number): number {
    if (!this.#isFaultLogged) {
      this.#isFaultLogged = true;
      this.#onFault(error);
    }
    for (const tell of new Set(this.#waiting.map(({ onFailure }) => onFailure))) {
      tell(error);
    }
    return failures;
  }
}

interface Waiting {
  since: number;
  go(): void;
  onFailure(error: unknown): void;
}

const NOT_LISTENING = {
  isConnected: () => false,
  heardUntil: () => Number.NEGATIVE_INFINITY,
  ask: () => {},
};

/** Milliseconds for a reply on the LISTEN connection, at least: after a stall of this process it is there at once. */
const ANSWER_WITHIN = 50;

/** Milliseconds before a failed load is retried: nothing is committed while the database is away. */
const RETRY = 500;

/**
 * Debounces runs: one at a time, in order; calls made before a run starts share it. Concurrent runs might end in the
 * wrong order and leave older data in place.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    if (next === null) {
      next = last
        .catch(() => {})
        .then(() => {
          next = null;
          return run();
        });
      last = next;
    }
    return next;
  };
}
