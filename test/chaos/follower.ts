import { setTimeout as pause } from 'node:timers/promises';
import type { FeedEvent } from '../../simulation/feed-event.ts';
import { FeedFold } from '../../simulation/feed-fold.ts';
import { until } from '../support/subscribed-ingest.ts';

/** Milliseconds. */
const AGAIN_AFTER = 50;

/** Seconds that a request waits for the next event. */
const WAIT = 10;

/**
 * A consumer of the move feed: waits for what is next, keeps what comes, and asks again whatever happens, the next of
 * several processes of the API.
 */
export class Follower {
  readonly fold = new FeedFold();
  /** Requests that had no answer, or one that says to ask again. */
  failures = 0;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  private constructor(urls: readonly string[], key: string) {
    this.#running = this.#follow(urls, key);
    // Seen by whoever waits for it.
    this.#running.catch(() => {});
  }

  static start(urls: readonly string[], key: string): Follower {
    return new Follower(urls, key);
  }

  /** Resolves when it has all up to a position. @throws what ended it before. */
  async reached(position: number): Promise<void> {
    await Promise.race([until(() => this.fold.position >= position), this.#running]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #follow(urls: readonly string[], key: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const url = urls[this.failures % urls.length];
      const events = await this.#ask(`${url}/api/v1/moves?limit=200&wait=${WAIT}`, key);
      if (events === null && !signal.aborted) {
        this.failures += 1;
        await pause(AGAIN_AFTER);
      }
      for (const event of events ?? []) {
        this.fold.apply(event);
      }
    }
  }

  /** @returns null if it has to be asked again. @throws for a refusal, which asking again would not change. */
  async #ask(url: string, key: string): Promise<readonly FeedEvent[] | null> {
    let status: number;
    let body: string;
    try {
      const response = await fetch(`${url}&after=${this.fold.position}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(3 * WAIT * 1_000)]),
      });
      status = response.status;
      body = await response.text();
    } catch {
      return null;
    }
    if (status >= 500 || status === 429) {
      return null;
    }
    if (status !== 200) {
      throw new Error(`the feed answers ${status}: ${body}`);
    }
    return (JSON.parse(body) as { data: { moves: FeedEvent[] } }).data.moves;
  }
}
