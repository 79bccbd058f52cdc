import type pg from 'pg';
import { Client } from './client.ts';
import { connectionConfig } from './connection.ts';

export interface Listener {
  isConnected(): boolean;
  /** `performance.now()` up to which every notification has been received; minus infinity if unknown. */
  heardUntil(): number;
  /** To be called by those who rely on `heardUntil`: it is probed at once, and often for a second. */
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
  let client: pg.Client | null = null;
  let heardUntil = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    const fresh = new Client({ ...connectionConfig(url, 'tagtrail listen'), query_timeout: PATIENCE });
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
    // A silent server would not answer a goodbye either.
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
  let askedAt = Number.NEGATIVE_INFINITY;
  let oftenUntil = Number.NEGATIVE_INFINITY;
  const probe = async () => {
    askedAt = performance.now();
    const began = askedAt;
    const asked = client;
    if (asked !== null && asked !== owing) {
      owing = asked;
      try {
        await asked.query('select 1');
        if (client === asked) {
          heardUntil = began;
          handlers.onHeard?.(began);
        }
      } catch (error) {
        lost(asked, error instanceof Error ? error : new Error(String(error)));
      }
      owing = null;
    }
  };
  const question = setInterval(() => {
    const now = performance.now();
    if (now < oftenUntil || now - askedAt > QUESTION_EVERY - questionEvery) {
      void probe();
    }
  }, questionEvery);
  return {
    isConnected: () => client !== null,
    heardUntil: () => heardUntil,
    ask: () => {
      const now = performance.now();
      oftenUntil = now + QUESTION_EVERY;
      if (now - askedAt >= questionEvery) {
        void probe();
      }
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(question);
      await client?.end();
    },
  };
}

/** Milliseconds between probes, and for a reply. */
const QUESTION_EVERY = 1_000;
const PATIENCE = 3_000;

/** Milliseconds of the first reconnect back-off, and of the longest. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
