import type { Socket } from 'node:net';
import pg from 'pg';
import { connectionConfig } from './connection.ts';

/** Milliseconds without a byte on a connection that an answer is due on, after which the database is asked about it. */
const SILENCE = 3_000;

/** Milliseconds for the database to say what a silent connection is doing. */
const PATIENCE = 3_000;

/** Milliseconds in which an answer that was sent just now arrives. */
const ON_ITS_WAY = 1_000;

/** What identifies a connection to the server and says what it waits for, which `pg` keeps but does not declare. */
interface Waiting {
  processID: number;
  _activeQuery: unknown;
  _sentQueryQueue: readonly unknown[];
}

/**
 * Ends connections that will never answer. A database that hangs, or a network that forgot a connection, says nothing,
 * and so does a statement that takes its time; so the database is asked, on a new connection, whether it is at work on
 * that statement. One that cannot say so is not there; one that has nothing to do has not received it. Callers learn of
 * it within seconds, where they waited for a minute.
 */
export class SilentConnections {
  readonly #url: string;
  /** One question at a time. */
  #asked: Promise<ReadonlySet<number> | null> | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** @param client that is connected. */
  watch(client: pg.ClientBase): void {
    const stream = (client as pg.Client).connection.stream as Socket;
    const { processID } = client as unknown as Waiting;
    let idleAt: number | null = null;
    stream.setTimeout(SILENCE);
    stream.on('timeout', async () => {
      if (!isAnswerDue(client)) {
        idleAt = null;
        if (stream.timeout !== SILENCE) {
          stream.setTimeout(SILENCE);
        }
        return;
      }
      const { bytesRead } = stream;
      const busy = await this.#busy();
      const isHeard = stream.bytesRead !== bytesRead || !isAnswerDue(client);
      if (isHeard || busy?.has(processID)) {
        idleAt = null;
        stream.setTimeout(SILENCE);
      } else if (busy === null || idleAt === bytesRead) {
        stream.destroy(new Error('the database does not answer'));
      } else {
        idleAt = bytesRead;
        stream.setTimeout(ON_ITS_WAY);
      }
    });
  }

  /** The server processes that are at work on a statement; null if the database does not say. */
  #busy(): Promise<ReadonlySet<number> | null> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  async #ask(): Promise<ReadonlySet<number> | null> {
    const client = new pg.Client({
      ...connectionConfig(this.#url, 'tagtrail silence'),
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        "select pid from pg_stat_activity where state not like 'idle%'",
      );
      return new Set(rows.map(({ pid }) => pid));
    } catch (error) {
      return error instanceof pg.DatabaseError ? EVERYTHING : null;
    } finally {
      client.connection.stream.destroy();
    }
  }
}

/** The database answers and cannot be asked, as it takes no more connections, say: what it is at work on is not known. */
const EVERYTHING: ReadonlySet<number> = Object.assign(new Set<number>(), { has: () => true });

function isAnswerDue(client: pg.ClientBase): boolean {
  const { _activeQuery, _sentQueryQueue } = client as unknown as Waiting;
  return _activeQuery !== null || _sentQueryQueue.length > 0;
}
