import pg from 'pg';
import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { FairSemaphore, type QueueBounds } from '../../../base/fair-semaphore.ts';
import { cancelRunning } from './cancel-running.ts';
import type { Pool, PoolClient } from './client.ts';
import { connectionOf } from './connecting.ts';
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

/** More than a key's burst of requests: within the rate limit, callers wait rather than being refused. */
export const WAITING_PER_ORGANIZATION = 250;

/**
 * Milliseconds to wait for a turn, or the statement timeout if that is longer. With the default timeout of
 * ten seconds the answer comes within the minute after which nginx and AWS's load balancers give up.
 */
export const PATIENCE = 45_000;

/**
 * Concurrent statements of an organization while connections are free for others and the first one's turn has
 * lapsed. Each keeps a database processor busy that look-ups want, too.
 */
const WITH_ROOM = 2;

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

/**
 * Connections for statements that may read much, one statement per connection at a time. An organization's
 * statements run in its turns ({@link expensiveTurns}), two at most, so that no look-up waits behind them,
 * and no other organization behind its queue. They are unnamed: the best plan for one value of a filter is
 * the worst for another, and planning is a small part.
 */
export class ScanningConnections {
  readonly #pool: Pool;
  readonly #turns: FairSemaphore<number>;
  readonly #queue: QueueBounds;
  readonly #preceding: NamedStatement;
  readonly #ready = new WeakSet<pg.ClientBase>();

  /**
   * @param config with `pipeline` on.
   * @param preceding precedes every other statement: text parameters, no rows.
   */
  constructor(
    config: ServiceConfig,
    { connections, timeout }: Scanning,
    preceding: NamedStatement,
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
    this.#queue = { waitingPerKey: WAITING_PER_ORGANIZATION, patience: Math.max(PATIENCE, timeout) };
    this.#turns = new FairSemaphore({
      ...this.#queue,
      total: connections,
      perKey: 1,
      perKeyWithRoom: WITH_ROOM,
    });
    this.#preceding = preceding;
  }

  /**
   * Sends a query in its turn, behind the preceding statement.
   *
   * @param signal aborting drops or cancels it.
   * @throws AppError `timed_out` if its turn does not come.
   */
  query(
    who: number,
    preceding: Preceding,
    query: pg.QueryConfig,
    signal?: AbortSignal,
  ): Promise<pg.QueryResult> {
    const send = () => this.#turns.run(who, () => this.#send(preceding, query, signal), signal);
    return expensiveTurns.run(who, 'list', send, this.#queue, signal);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #send(preceding: Preceding, query: pg.QueryConfig, signal?: AbortSignal): Promise<pg.QueryResult> {
    const client = await connectionOf(this.#pool);
    let cancelled: Promise<void> | undefined;
    const cancel = () => {
      cancelled = cancelRunning(client);
    };
    let broken = false;
    try {
      await this.#prepare(client);
      signal?.throwIfAborted();
      signal?.addEventListener('abort', cancel);
      return await sendPreceded(client, [preceding], query);
    } catch (error) {
      broken = !(error instanceof pg.DatabaseError || signal?.aborted);
      throw broken ? thrownByPg(error) : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      await cancelled;
      client.release(broken);
    }
  }

  async #prepare(client: PoolClient): Promise<void> {
    if (!this.#ready.has(client)) {
      await prepareStatement(client, this.#preceding);
      this.#ready.add(client);
    }
  }
}
