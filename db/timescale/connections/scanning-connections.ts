import pg from 'pg';
import { dearTurns } from '../../../base/dear-turns.ts';
import { FairSemaphore, type QueueBounds } from '../../../base/fair-semaphore.ts';
import { cancelRunning } from './cancel-running.ts';
import type { Pool, PoolClient } from './client.ts';
import { connectionOf } from './connecting.ts';
import { thrownByPg } from './connection-lost.ts';
import { createPool } from './pool.ts';
import { type NamedStatement, type Preceding, prepareStatement, sendPreceded } from './preceded-query.ts';
import type { SilentConnections } from './silent-connections.ts';

/** How many statements that may read much run at a time, and how long one may run. */
export interface Scanning {
  connections: number;
  /** Milliseconds. */
  timeout: number;
}

/** More than a key's burst of requests, of lists or of writes: whoever is within the rate limit waits rather than being refused. */
export const WAITING_PER_ORGANIZATION = 250;

/**
 * Milliseconds that a statement or a transaction waits for its turn, or as many as one may run where that is more. With the ten seconds it
 * may run by default the answer comes within the minute after which nginx and AWS's load balancers give up.
 */
export const PATIENCE = 45_000;

/**
 * Statements of an organization that run at a time while connections are left for others, where the first takes so long
 * that its turn has lapsed. Each keeps a processor of the database busy that look-ups want, too.
 */
const WITH_ROOM = 2;

/** Milliseconds in which the server has said that a statement's time is up; or else the connection is lost. */
const LAST_WORD = 5_000;

/**
 * Connections for statements that may read much. One statement is sent on a connection at a time. An organization's run
 * in its turns ({@link dearTurns}), and two at a time at most, so that no look-up waits behind them, and nobody else behind
 * its queue. The statements have no names: what is
 * best for one value of a filter is worst for another, and planning takes little of what they take.
 */
export class ScanningConnections {
  readonly #pool: Pool;
  readonly #turns: FairSemaphore<number>;
  readonly #queue: QueueBounds;
  readonly #preceding: NamedStatement;
  readonly #ready = new WeakSet<pg.ClientBase>();

  /**
   * @param config with `pipeline` on.
   * @param preceding the statement that goes before every other: text parameters, no rows.
   */
  constructor(
    config: pg.ClientConfig,
    { connections, timeout }: Scanning,
    preceding: NamedStatement,
    silent: SilentConnections,
  ) {
    this.#pool = createPool(
      {
        ...config,
        // The database's list of activity tells them from the look-ups.
        application_name: `${config.application_name} lists`,
        // A statement that takes all processors would keep them from the look-ups, and compiling one takes longer than it saves.
        options: `${config.options ?? ''} -c max_parallel_workers_per_gather=0 -c jit=off`,
        statement_timeout: timeout,
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
   * Sends a query when it is its turn among those of `who`, behind the preceding statement.
   *
   * @param signal if aborted, the query is not sent any more, or cancelled.
   * @throws AppError `timed_out` if its turn does not come.
   */
  query(
    who: number,
    preceding: Preceding,
    query: pg.QueryConfig,
    signal?: AbortSignal,
  ): Promise<pg.QueryResult> {
    const send = () => this.#turns.run(who, () => this.#send(preceding, query, signal), signal);
    return dearTurns.run(who, 'list', send, this.#queue, signal);
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
