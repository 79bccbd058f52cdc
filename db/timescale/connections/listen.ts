import pg from 'pg';
import { connectionConfig } from './connection.ts';

export interface Listener {
  /** Whether notifications are being received right now; while not, what was cached may be out of date. */
  isConnected(): boolean;
  /** `performance.now()` before which whatever was announced has been received; minus infinity while it cannot be told. */
  heardUntil(): number;
  close(): Promise<void>;
}

export interface ListenHandlers {
  onNotify(channel: string, payload: string): void;
  /** The connection is back, after notifications may have been missed. */
  onReconnect(): void;
  /** Whatever was announced before this `performance.now()` has been received. */
  onHeard?(until: number): void;
  /** The connection was lost, or could not be made again. */
  onLost(error: Error): void;
}

/**
 * Listens to the channels on a connection of its own, and connects again, with a growing pause, for as long as it is
 * not closed. Every second, or as often as told, it asks the other end whether it is there: one that says nothing more may
 * be deaf too. PostgreSQL sends notifications before it says that it is ready for the next query, so an answer also tells
 * that everything announced before the question has been received.
 *
 * @throws the connection's error if the first connection cannot be made.
 */
export async function listen(
  url: string,
  channels: readonly string[],
  handlers: ListenHandlers,
  { questionEvery = QUESTION_EVERY }: { questionEvery?: number } = {},
): Promise<Listener> {
  let client: pg.Client | null = null;
  let heardUntil = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    const fresh = new pg.Client({ ...connectionConfig(url, 'tagtrail listen'), query_timeout: PATIENCE });
    fresh.on('notification', ({ channel, payload }) => handlers.onNotify(channel, payload ?? ''));
    fresh.on('error', (error) => lost(fresh, error));
    fresh.once('end', () => lost(fresh, new Error('the connection ended')));
    try {
      await fresh.connect();
      for (const channel of channels) {
        await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`);
      }
    } catch (error) {
      await fresh.end().catch(() => {});
      throw error;
    }
    if (isClosed) {
      await fresh.end();
    } else {
      client = fresh;
    }
  };

  const lost = (which: pg.Client, error: Error) => {
    if (client !== which || isClosed) {
      return;
    }
    client = null;
    heardUntil = Number.NEGATIVE_INFINITY;
    // Whoever does not answer would not take leave either.
    which.connection.stream.destroy();
    handlers.onLost(error);
    reconnectAfter(FIRST_PAUSE);
  };

  const reconnectAfter = (pause: number) => {
    timer = setTimeout(async () => {
      try {
        await connect();
        if (!isClosed) {
          handlers.onReconnect();
        }
      } catch (error) {
        if (isClosed) {
          return;
        }
        handlers.onLost(error instanceof Error ? error : new Error(String(error)));
        reconnectAfter(Math.min(pause * 2, LONGEST_PAUSE));
      }
    }, pause);
  };

  await connect();
  let owing: pg.Client | null = null;
  const question = setInterval(async () => {
    const asked = client;
    if (asked !== null && asked !== owing) {
      owing = asked;
      const askedAt = performance.now();
      try {
        await asked.query('select 1');
        if (client === asked) {
          heardUntil = askedAt;
          handlers.onHeard?.(askedAt);
        }
      } catch (error) {
        lost(asked, error instanceof Error ? error : new Error(String(error)));
      }
      owing = null;
    }
  }, questionEvery);
  return {
    isConnected: () => client !== null,
    heardUntil: () => heardUntil,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(question);
      await client?.end();
    },
  };
}

/** Milliseconds from one question to the next, and for an answer. */
const QUESTION_EVERY = 1_000;
const PATIENCE = 3_000;

/** Milliseconds before the first attempt to connect again, and the longest pause between attempts. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
