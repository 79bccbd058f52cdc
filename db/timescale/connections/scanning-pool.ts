import pg from 'pg';
import { cancelRunning } from './cancel-running.ts';
import { connectionOf, type Pool, type PoolClient } from './client.ts';
import { thrownByPg } from './connection-lost.ts';
import { createPool } from './pool.ts';
import { type NamedStatement, type Preceding, prepareStatement, sendPreceded } from './preceded-query.ts';
import { type ServiceConfig, withSettings } from './service-connections.ts';
import type { SessionSettings } from './session-settings.ts';
import type { SilentConnections } from './silent-connections.ts';

export interface Scanning {
  connections: number;
  /** Milliseconds. */
  timeout: number;
}

/** A statement's result, and its milliseconds once it had a connection. */
export interface Scanned {
  result: pg.QueryResult;
  tookMs: number;
}

/**
 * Parallel workers would take processors from look-ups; JIT compilation takes longer than it saves. Sorting all rows by group
 * and then by what an aggregate wants takes longer than sorting them by group alone and then each group's.
 */
const PLANNING: SessionSettings = {
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  enable_presorted_aggregate: 'off',
};

/** Milliseconds in which the server must report a timeout; otherwise the connection counts as lost. */
const LAST_WORD = 5_000;

/** A server's connections for statements that may read much, one at a time each. */
export class ScanningPool {
  readonly #pool: Pool;
  readonly #preceding: readonly NamedStatement[];
  readonly #ready = new WeakSet<pg.ClientBase>();

  /**
   * @param config with `pipeline` on.
   * @param preceding statements of which one precedes every other: text parameters, no rows.
   */
  constructor(
    config: ServiceConfig,
    { connections, timeout }: Scanning,
    preceding: readonly NamedStatement[],
    silent: SilentConnections,
  ) {
    this.#pool = createPool(
      {
        ...withSettings(config, { ...PLANNING, statement_timeout: String(timeout) }),
        // Distinguishes them from look-ups in `pg_stat_activity`.
        application_name: `${config.application_name} lists`,
        query_timeout: timeout + LAST_WORD,
      },
      connections,
      silent,
    );
    this.#preceding = preceding;
  }

  /**
   * Sends a query behind the preceding statement.
   *
   * @param signal aborting cancels it.
   * @param verify throws unless the query may be sent on this connection.
   */
  async query(
    preceding: Preceding,
    query: pg.QueryConfig,
    signal: AbortSignal | undefined,
    verify: (client: PoolClient) => Promise<void> = async () => {},
  ): Promise<Scanned> {
    const client = await connectionOf(this.#pool);
    let cancelled: Promise<void> | undefined;
    const cancel = () => {
      cancelled = cancelRunning(client);
    };
    let broken = false;
    try {
      await this.#prepare(client);
      await verify(client);
      signal?.throwIfAborted();
      signal?.addEventListener('abort', cancel);
      const since = performance.now();
      const result = await sendPreceded(client, [preceding], query);
      return { result, tookMs: performance.now() - since };
    } catch (error) {
      broken = !(error instanceof pg.DatabaseError || signal?.aborted);
      throw broken ? thrownByPg(error) : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      await cancelled;
      client.release(broken);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #prepare(client: PoolClient): Promise<void> {
    if (!this.#ready.has(client)) {
      for (const statement of this.#preceding) {
        await prepareStatement(client, statement);
      }
      this.#ready.add(client);
    }
  }
}
