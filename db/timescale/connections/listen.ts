import type pg from 'pg';
import { Client } from './client.ts';
import { connectionConfig } from './connection.ts';

export interface Listener {
  isConnected(): boolean;
  /** `performance.now()` up to which every notification has been received; minus infinity if unknown. */
  heardUntil(): number;
  /** For callers that rely on `heardUntil`: probes at once, and often for a second. */
  ask(): void;
  close(): Promise<void>;
}

export interface ListenHandlers {
  onNotify(channel: string, payload: string): void;
  onReconnect(): void;
  /** Called when every notification before this `performance.now()` has been received. */
  onHeard?(until: number): void;
  onLost(error: Error): void;
}

/**
 * LISTENs on a connection of its own and reconnects with back-off until closed. It probes the server every second, or
 * at the given interval while it is asked: a silent connection may be dead. PostgreSQL sends notifications before it is ready for the next
 * query, so a reply also proves that everything announced before the probe has been received.
 *
 * @throws the connection's error if the first connection cannot be made.
 */
export async function listen(
  url: string,
  channels: readonly string[],
  handlers: ListenHandlers,
  { questionEvery = QUESTION_EVERY }: { questionEvery?: number } = {},
): Promise<Listener> {
  const listening = new Listening(url, channels, handlers, questionEvery);
  await listening.start();
  return listening;
}

class Listening implements Listener {
  readonly #url: string;
  readonly #channels: readonly string[];
  readonly #handlers: ListenHandlers;
  readonly #questionEvery: number;
  #client: pg.Client | null = null;
  /** Has not answered the last probe. */
  #owing: pg.Client | null = null;
  #heardUntil = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #oftenUntil = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #reconnecting: NodeJS.Timeout | undefined;
  #questions: NodeJS.Timeout | undefined;

  constructor(url: string, channels: readonly string[], handlers: ListenHandlers, questionEvery: number) {
    this.#url = url;
    this.#channels = channels;
    this.#handlers = handlers;
    this.#questionEvery = questionEvery;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#questions = setInterval(() => {
      const now = performance.now();
      if (now < this.#oftenUntil || now - this.#askedAt > QUESTION_EVERY - this.#questionEvery) {
        void this.#probe();
      }
    }, this.#questionEvery);
  }

  isConnected(): boolean {
    return this.#client !== null;
  }

  heardUntil(): number {
    return this.#heardUntil;
  }

  ask(): void {
    const now = performance.now();
    this.#oftenUntil = now + QUESTION_EVERY;
    if (now - this.#askedAt >= this.#questionEvery) {
      void this.#probe();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnecting);
    clearInterval(this.#questions);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const fresh = new Client({ ...connectionConfig(this.#url, 'tagtrail listen'), query_timeout: PATIENCE });
    fresh.on('notification', ({ channel, payload }) => this.#handlers.onNotify(channel, payload ?? ''));
    fresh.on('error', (error) => this.#lose(fresh, error));
    fresh.once('end', () => this.#lose(fresh, new Error('the connection ended')));
    try {
      await fresh.connect();
      for (const channel of this.#channels) {
        await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`);
      }
    } catch (error) {
      await fresh.end().catch(() => {});
      throw error;
    }
    if (this.#isClosed) {
      await fresh.end();
    } else {
      this.#client = fresh;
    }
  }

  #lose(which: pg.Client, error: Error): void {
    if (this.#client !== which || this.#isClosed) {
      return;
    }
    this.#client = null;
    this.#heardUntil = Number.NEGATIVE_INFINITY;
    // A silent server would not answer a goodbye either.
    which.connection.stream.destroy();
    this.#handlers.onLost(error);
    this.#reconnectAfter(FIRST_PAUSE);
  }

  #reconnectAfter(pause: number): void {
    this.#reconnecting = setTimeout(async () => {
      try {
        await this.#connect();
        if (!this.#isClosed) {
          this.#handlers.onReconnect();
        }
      } catch (error) {
        if (this.#isClosed) {
          return;
        }
        this.#handlers.onLost(error instanceof Error ? error : new Error(String(error)));
        this.#reconnectAfter(Math.min(pause * 2, LONGEST_PAUSE));
      }
    }, pause);
  }

  async #probe(): Promise<void> {
    const began = performance.now();
    const asked = this.#client;
    this.#askedAt = began;
    if (asked === null || asked === this.#owing) {
      return;
    }
    this.#owing = asked;
    try {
      await asked.query('select 1');
      if (this.#client === asked) {
        this.#heardUntil = began;
        this.#handlers.onHeard?.(began);
      }
    } catch (error) {
      this.#lose(asked, error instanceof Error ? error : new Error(String(error)));
    }
    this.#owing = null;
  }
}

/** Milliseconds between probes, and for a reply. */
const QUESTION_EVERY = 1_000;
const PATIENCE = 3_000;

/** Milliseconds of the first reconnect back-off, and of the longest. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
