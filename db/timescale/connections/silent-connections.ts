import type { Socket } from 'node:net';
import pg from 'pg';
import { addressesOf } from './addresses.ts';
import { createClient } from './pooled-client.ts';
import { serviceConfig } from './service-connections.ts';

/** Milliseconds of silence on a connection that owes an answer, before the database is asked about it. */
const SILENCE = 3_000;

/** Milliseconds for the database to report the state of a silent connection. */
const PATIENCE = 3_000;

/** Milliseconds for an answer that is already on its way. */
const ON_ITS_WAY = 1_000;

/** Undeclared fields of `pg`. */
interface Waiting {
  processID: number;
  _activeQuery: unknown;
  _sentQueryQueue: readonly unknown[];
}

/**
 * Ends connections that will never answer. A hung database, a network that forgot a connection and a slow
 * statement are equally silent; so the database is asked, over a new connection, whether that backend is
 * active. Without a reply it is gone; if the backend is idle, the statement never arrived. Callers get the
 * error within seconds instead of a minute.
 */
export class SilentConnections {
  readonly #url: string;
  #asked: Promise<ReadonlySet<number> | null> | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** @param client connected already. */
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

  /** Ids of active backends; null if the database does not reply. */
  #busy(): Promise<ReadonlySet<number> | null> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  async #ask(): Promise<ReadonlySet<number> | null> {
    const { direct, pooled } = addressesOf(this.#url);
    const asked = [this.#askAt(direct, ASK)];
    if (pooled !== null) {
      // Answered by itself, however many wait for a session of PostgreSQL; it tells nobody which works for whom.
      asked.push(this.#askAt(this.#url, null));
    }
    const answers = await Promise.all(asked);
    return answers.includes(null) ? null : (answers.at(-1) ?? null);
  }

  /** @param question null to connect only. */
  async #askAt(address: string, question: string | null): Promise<ReadonlySet<number> | null> {
    const client = createClient({
      ...serviceConfig(address, { max: 1, applicationName: 'tagtrail silence' }),
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    try {
      await client.connect();
      if (question === null) {
        return EVERYTHING;
      }
      const { rows } = await client.query<{ pid: number }>(question);
      return new Set(rows.map(({ pid }) => pid));
    } catch (error) {
      return error instanceof pg.DatabaseError ? EVERYTHING : null;
    } finally {
      client.connection.stream.destroy();
    }
  }
}

const ASK = "select pid from pg_stat_activity where state not like 'idle%'";

/** Unknown: it answers, but through a pooler, or with a refusal, having no free connection for instance. */
const EVERYTHING: ReadonlySet<number> = Object.assign(new Set<number>(), { has: () => true });

function isAnswerDue(client: pg.ClientBase): boolean {
  const { _activeQuery, _sentQueryQueue } = client as unknown as Waiting;
  return _activeQuery !== null || _sentQueryQueue.length > 0;
}
