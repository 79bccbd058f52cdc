import pg from 'pg';
import type { RowQuery } from '../queries/sql.ts';
import { any, type Connection, exec, maybeOne, one, verbsOn } from '../queries/verbs.ts';
import type { ServerAnswer } from './ask-server.ts';
import { nameOf } from './choose-primary.ts';
import type { ConnectionConfig } from './connection.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';
import type { Wanted } from './database-url.ts';
import { KNOWN_PRIMARIES } from './known-primaries.ts';
import type { Servers } from './servers.ts';

/**
 * With `pipeline` on, statements sent without awaiting each other travel together. With several servers it connects to
 * the wanted kind, and leaves a server that turns out to be, or becomes, another kind.
 */
export class Client extends pg.Client implements Connection {
  readonly #servers: Servers | undefined;
  readonly #patience: number;

  constructor(config: ConnectionConfig) {
    super(config);
    // A lost connection fails the current query, or the next.
    this.on('error', () => {});
    this.#servers = config.servers;
    this.#patience = (config.connectionTimeoutMillis ?? LONG) * PART_TO_FIND;
  }

  any<Row>(query: RowQuery<Row>): Promise<readonly Row[]> {
    return any(this, query);
  }

  one<Row>(query: RowQuery<Row>): Promise<Row> {
    return one(this, query);
  }

  maybeOne<Row>(query: RowQuery<Row>): Promise<Row | null> {
    return maybeOne(this, query);
  }

  exec(query: RowQuery<unknown>): Promise<number> {
    return exec(this, query);
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    const connecting = this.#connect();
    if (callback === undefined) {
      return connecting;
    }
    connecting.then(() => callback(null), callback);
    return undefined;
  }

  async #connect(): Promise<this> {
    if (this.#servers !== undefined) {
      const found = await this.#servers.find(this.#patience);
      Object.assign(this, found.address);
      this.#stayWith(this.#servers.wanted);
      await super.connect();
      this.#leaveAfter(found);
    } else {
      await super.connect();
    }
    readInTurns(this.connection.stream);
    return this;
  }

  /** Servers since PostgreSQL 14 report their kind at the start of a session, and when it changes. */
  #stayWith(wanted: Wanted): void {
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby' && (parameterValue === 'on') !== (wanted === 'standby')) {
        this.connection.stream.destroy(new Error(`${this.host}:${this.port} is not a ${wanted}`));
      }
    });
  }

  /** Leaves it when a standby was promoted in its place. */
  #leaveAfter(server: ServerAnswer): void {
    if (server.standing !== 'standby') {
      const release = KNOWN_PRIMARIES.hold(server, (reason) =>
        this.connection.stream.destroy(new Error(`leaving ${nameOf(server.address)}: ${reason}`)),
      );
      this.once('end', release);
    }
  }
}

/**
 * Lets others have the loop after each piece of a long answer. Node.js reads up to 2 MiB at once: with the parsing of
 * 10,000 rows nobody else was answered for 60 ms.
 */
function readInTurns(stream: Client['connection']['stream']): void {
  let read = 0;
  stream.on('data', ({ length }: Buffer) => {
    read += length;
    if (read >= PIECE) {
      read = 0;
      stream.pause();
      setImmediate(() => stream.resume());
    }
  });
}

/** Bytes, in one chunk or several: over TLS PostgreSQL sends records of 8 KiB. */
const PIECE = 16_384;

interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

/** The rest of the time is left for connecting. */
const PART_TO_FIND = 0.9;

/** Milliseconds, where no time is set. */
const LONG = 60_000;

export type PoolClient = Client & pg.PoolClient;

export type Pool = Omit<pg.Pool, 'connect'> & Connection & { connect(): Promise<PoolClient> };

/** Its verbs tell a lost connection from a bug, as {@link connectionOf} does. */
export class VerbPool extends pg.Pool implements Connection {
  readonly #verbs = verbsOn((query) =>
    this.query(query).catch((error: unknown) => {
      throw thrownByPg(error);
    }),
  );
  readonly any: Connection['any'] = this.#verbs.any;
  readonly one: Connection['one'] = this.#verbs.one;
  readonly maybeOne: Connection['maybeOne'] = this.#verbs.maybeOne;
  readonly exec: Connection['exec'] = this.#verbs.exec;
}

/**
 * Milliseconds after which a failed attempt to connect means that nothing answers, rather than that the
 * server refuses.
 */
const UNANSWERED = 1_000;

/** Milliseconds for which further attempts fail at once. */
const FAIL_FAST = 1_000;

const refused = new WeakMap<Pool, { until: number; error: unknown }>();

/**
 * A connection of the pool, or ConnectionLost, at once for a moment after an attempt that nothing answered.
 * So requests queued for a turn fail together, not one connection timeout after the other.
 */
export async function connectionOf(pool: Pool): Promise<PoolClient> {
  const since = performance.now();
  const before = refused.get(pool);
  if (before !== undefined && since < before.until) {
    throw before.error;
  }
  try {
    return await pool.connect();
  } catch (thrown) {
    const error = thrownByPg(thrown);
    const now = performance.now();
    if (now - since > UNANSWERED && isConnectionLost(error)) {
      refused.set(pool, { until: now + FAIL_FAST, error });
    }
    throw error;
  }
}
