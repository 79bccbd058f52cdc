import pg from 'pg';
import { ConnectionLost, thrownByPg } from './connection-lost.ts';
import { createClient } from './pooled-client.ts';
import { type NamedStatement, type Preceding, prepareStatement, sendPreceded } from './preceded-query.ts';
import type { ServiceConfig } from './service-connections.ts';
import type { SilentConnections } from './silent-connections.ts';

interface Shared {
  client: pg.Client;
  load: number;
}

/** Look-ups are cheap; lists weigh more, so that look-ups do not queue behind them on the same connection. */
export const WEIGHT = { lookUp: 1, list: 8 };

/**
 * Look-ups of one turn of the event loop share a connection up to this load: every connection written to
 * costs a system call and wakes a process, and so does every one read. A look-up over HTTP takes 115 to 140
 * us of Node.js's time instead of 155, and 75 of PostgreSQL's instead of 88 (32 callers; 16 were no better).
 */
const TOGETHER = 8;

/**
 * A few connections shared by many callers: statements are pipelined, each behind one that sets its context.
 * A connection is opened when all others are busy, and dropped when lost.
 */
export class PipelinedConnections {
  readonly #config: ServiceConfig;
  readonly #max: number;
  readonly #preceding: readonly NamedStatement[];
  readonly #silent: SilentConnections | undefined;
  readonly #open: Shared[] = [];
  readonly #opening = new Set<Promise<Shared>>();
  #isEnded = false;

  /**
   * @param config with `pipeline` on.
   * @param preceding statements of which one precedes every other: text parameters, no rows.
   * @param silent ends connections that will never answer.
   */
  constructor(
    config: ServiceConfig,
    max: number,
    preceding: readonly NamedStatement[],
    silent?: SilentConnections,
  ) {
    this.#config = config;
    this.#max = max;
    this.#preceding = preceding;
    this.#silent = silent;
  }

  async query(
    preceding: Preceding,
    query: pg.QueryConfig,
    weight = query.name === undefined ? WEIGHT.list : WEIGHT.lookUp,
  ): Promise<pg.QueryResult> {
    const connection = this.#openFor(weight) ?? (await this.#openedFor(weight));
    const { client } = connection;
    connection.load += weight;
    try {
      gatherWrites(client);
      return await sendPreceded(client, [preceding], query);
    } catch (error) {
      // Not reported by the database: the connection may have ended, and its own event comes a moment later. If it is silent,
      // all statements on it time out, and would wait to end it in order.
      if (!(error instanceof pg.DatabaseError)) {
        this.#forget(connection);
        client.connection.stream.destroy();
      }
      throw thrownByPg(error);
    } finally {
      connection.load -= weight;
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#open.splice(0).map(({ client }) => client.end()));
  }

  #openFor(weight: number): Shared | null {
    const open = weight < WEIGHT.list ? this.#open : this.#open.filter((each) => !this.#isForLookUps(each));
    return this.#beingWrittenTo(open, weight) ?? this.#leastBusy(open);
  }

  async #openedFor(weight: number): Promise<Shared> {
    for (;;) {
      const opened = await this.#openAnother();
      if (weight < WEIGHT.list || !this.#isForLookUps(opened)) {
        return opened;
      }
    }
  }

  /**
   * The first, if there are more: lists leave it alone. Five lists of one organization that turned out to take long held all
   * connections, and everybody's look-ups waited behind them.
   */
  #isForLookUps(connection: Shared): boolean {
    return this.#max > 1 && connection === this.#open[0];
  }

  #beingWrittenTo(open: readonly Shared[], weight: number): Shared | undefined {
    return open.find(({ client, load }) => isGathering(client) && load + weight <= TOGETHER);
  }

  #leastBusy(open: readonly Shared[]): Shared | null {
    const [first, ...others] = open;
    if (first === undefined) {
      return null;
    }
    const least = others.reduce((best, each) => (each.load < best.load ? each : best), first);
    return least.load === 0 || this.#open.length + this.#opening.size >= this.#max ? least : null;
  }

  #openAnother(): Promise<Shared> {
    if (this.#open.length + this.#opening.size >= this.#max) {
      return Promise.any(this.#opening).catch(({ errors }: AggregateError) => {
        throw errors[0];
      });
    }
    const opening = this.#connect().finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return opening;
  }

  async #connect(): Promise<Shared> {
    const client = createClient(this.#config);
    const connection = { client, load: 0 };
    client.on('error', () => this.#forget(connection));
    client.once('end', () => this.#forget(connection));
    try {
      await client.connect();
      this.#silent?.watch(client);
      await Promise.all(this.#preceding.map((statement) => prepareStatement(client, statement)));
    } catch (error) {
      throw thrownByPg(error);
    }
    if (this.#isEnded) {
      await client.end();
      throw new ConnectionLost('the connections are ended');
    }
    this.#open.push(connection);
    return connection;
  }

  #forget(connection: Shared): void {
    const index = this.#open.indexOf(connection);
    if (index !== -1) {
      this.#open.splice(index, 1);
    }
  }
}

/**
 * Corks a connection's socket until this turn of the event loop has read what callers sent, then writes everything at
 * once: every write is a system call. With `sendPreceded` it takes a look-up over HTTP from 270 us of Node.js's time to
 * 156 (`test/bench/README.md`). It delays nobody: a turn with nothing to read ends at once.
 */
export function gatherWrites(client: pg.Client): void {
  if (!isGathering(client)) {
    const { stream } = client.connection;
    stream.cork();
    setImmediate(() => stream.uncork());
  }
}

/** True if a write now joins others of this turn. */
function isGathering({ connection }: pg.Client): boolean {
  return connection.stream.writableCorked > 0;
}
