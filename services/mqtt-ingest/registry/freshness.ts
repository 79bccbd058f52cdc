import { setTimeout as pause } from 'node:timers/promises';
import { TRUSTED_MS } from '../../../base/heard-everywhere.ts';
import type { Listener } from '../../../db/timescale/connections/listen.ts';
import { coalesced } from './coalesced.ts';

export interface FreshnessOptions {
  load(): Promise<void>;
  /** Told of the first of several loads in a row that fail. */
  onFault(error: unknown): void;
}

/**
 * Knows up to when what was loaded is all that was committed: up to when the last load began, or up to the last question
 * on the listening connection that was answered while nothing announced was still to be loaded. With
 * {@link TRUSTED_MS} and `heardEverywhere`, what is done by what is fresh is done by every change whose command ended.
 *
 * What finds it older than that waits: for the next answer, or a load if none comes. So a listening connection that was
 * cut costs a load for every {@link TRUSTED_MS} in which something happens.
 */
export class Freshness {
  /** Loads anew; resolves when what was committed before the call is in effect. */
  readonly refresh: () => Promise<void>;
  readonly #onFault: FreshnessOptions['onFault'];
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  #listener: Pick<Listener, 'isConnected' | 'heardUntil'> = DEAF;
  /** `performance.now()` up to which everything committed is in effect. */
  #asOf = Number.NEGATIVE_INFINITY;
  /** Announcements so far, and how many of them the last load came after. */
  #announced = 0;
  #loaded = 0;
  #isCatchingUp = false;
  #isFaultTold = false;

  constructor({ load, onFault }: FreshnessOptions) {
    this.#onFault = onFault;
    this.refresh = coalesced(async () => {
      const begun = performance.now();
      const announced = this.#announced;
      await load();
      this.#loaded = announced;
      this.#isFaultTold = false;
      this.#know(begun);
      this.heard(this.#listener.heardUntil());
    });
  }

  /** To be called once listening; what was announced before is loaded by the first load. */
  follow(listener: Pick<Listener, 'isConnected' | 'heardUntil'>): void {
    this.#listener = listener;
  }

  /** What was loaded has changed, or may have. */
  announced(): void {
    this.#announced += 1;
    void this.#catchUp();
  }

  /** Everything announced before then has been received. */
  heard(until: number): void {
    if (this.#loaded === this.#announced) {
      this.#know(until);
    }
  }

  /** One comparison of two numbers for each message. */
  isFresh(): boolean {
    return this.#waiting.length === 0 && performance.now() - this.#asOf < TRUSTED_MS;
  }

  /**
   * Calls `go` once it is fresh for what came now, in the order of the calls.
   *
   * @param onFailure told whenever loading fails meanwhile; of several that wait with the same one, once.
   */
  whenFresh(go: () => void, onFailure: (error: unknown) => void = () => {}): void {
    if (this.isFresh()) {
      go();
    } else {
      this.#waiting.push({ since: performance.now(), go, onFailure });
      void this.#catchUp();
    }
  }

  /** Lets go whoever waits. */
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
      const ms = failures > 0 ? RETRY : this.#isBehind() || !this.#listener.isConnected() ? 0 : ANSWER_WITHIN;
      if (ms > 0) {
        await pause(ms, undefined, { signal }).catch(() => {});
      }
      if (!signal.aborted && (this.#isBehind() || this.#waiting.length > 0)) {
        failures = await this.refresh().then(
          () => 0,
          (error: unknown) => this.#fail(error, failures + 1),
        );
      }
    }
    this.#isCatchingUp = false;
  }

  #isBehind(): boolean {
    return this.#loaded !== this.#announced;
  }

  #fail(error: unknown, failures: number): number {
    if (!this.#isFaultTold) {
      this.#isFaultTold = true;
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

const DEAF = { isConnected: () => false, heardUntil: () => Number.NEGATIVE_INFINITY };

/** Milliseconds for an answer on the listening connection: after a pause of this process it is there at once. */
const ANSWER_WITHIN = 50;

/** Milliseconds until it is tried again to load: nothing is committed while the database is away. */
const RETRY = 500;
