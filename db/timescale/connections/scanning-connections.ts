import type pg from 'pg';
import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { FairSemaphore, type QueueBounds } from '../../../base/fair-semaphore.ts';
import type { Preceding } from './preceded-query.ts';
import type { Replica } from './replica.ts';
import type { Scanned, Scanning, ScanningPool } from './scanning-pool.ts';

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

export interface ScanOptions {
  /** Aborting drops or cancels it. */
  signal: AbortSignal | undefined;
  fromPrimary: boolean;
}

/**
 * Connections for statements that may read much, one statement per connection at a time. An organization's
 * statements run in its turns ({@link expensiveTurns}), two at most, so that no look-up waits behind them,
 * and no other organization behind its queue. They are unnamed: the best plan for one value of a filter is
 * the worst for another, and planning is a small part.
 */
export class ScanningConnections {
  readonly #primary: ScanningPool;
  readonly #replica: Replica | null;
  readonly #turns: FairSemaphore<number>;
  readonly #queue: QueueBounds;

  constructor(primary: ScanningPool, replica: Replica | null, { connections, timeout }: Scanning) {
    this.#primary = primary;
    this.#replica = replica;
    this.#queue = { waitingPerKey: WAITING_PER_ORGANIZATION, patience: Math.max(PATIENCE, timeout) };
    this.#turns = new FairSemaphore({
      ...this.#queue,
      ...{ total: connections, perKey: 1, perKeyWithRoom: WITH_ROOM },
      kept: Math.floor(connections / 4),
    });
  }

  /**
   * Sends a query in its turn, behind the preceding statement: to the replica, if there is one that is as far as the
   * primary.
   *
   * @throws AppError `timed_out` if its turn does not come.
   */
  query(
    who: number,
    preceding: Preceding,
    query: pg.QueryConfig,
    { signal, fromPrimary }: ScanOptions,
  ): Promise<Scanned> {
    const answer = async () =>
      (fromPrimary ? null : await this.#replica?.query(who, preceding, query, signal)) ??
      this.#primary.query(preceding, query, signal);
    const send = () => this.#turns.run(who, answer, signal);
    return expensiveTurns.run(who, 'list', send, this.#queue, signal);
  }

  async end(): Promise<void> {
    await Promise.all([this.#primary.end(), this.#replica?.end()]);
  }
}
