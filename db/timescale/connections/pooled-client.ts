import pg from 'pg';
import { append } from '../../../base/append.ts';
import { Client } from './client.ts';
import { PrecededQuery, type Preceding, Preparing } from './preceded-query.ts';
import type { ServiceConfig } from './service-connections.ts';
import { asStatement } from './session-settings.ts';

type Callback = (error: Error, result: pg.QueryResult) => void;

/** Undocumented parts of `pg`'s client; the version is pinned and tests hold the behaviour. */
interface Pipeline {
  readyForQuery: boolean;
  _queryQueue: object[];
  _sentQueryQueue: readonly object[];
  _pulsePipelinedQueryQueue(): void;
}

const PipelinedClient = Client as unknown as new (config: pg.ClientConfig) => Client & Pipeline;

/**
 * A connection through a pooler in transaction mode, where each transaction may get another PostgreSQL session. So
 * every transaction, and every statement outside one, begins with the settings that others set at connection, including
 * the role; no statement is prepared by name. If the settings are refused, so is the rest of the transaction: nothing
 * runs as another role. Nothing of a transaction is sent before the last answer of the one before. After that answer
 * PgBouncer takes the session away, even if it has passed on part of the next transaction: the rest would reach another
 * session, without the settings.
 */
export class PooledClient extends PipelinedClient {
  readonly #settings: Preceding;
  readonly #beginnings = new WeakSet<object>();
  #isInTransaction = false;

  constructor({ eachTransaction = {}, ...config }: ServiceConfig) {
    super(config);
    this.#settings = { name: '', text: asStatement(eachTransaction), values: [] };
  }

  // biome-ignore lint/suspicious/noExplicitAny: `pg` overloads it in many ways
  override query(query: any, values?: any, callback?: Callback): any {
    if (query instanceof Preparing) {
      query.callback(null, undefined as never);
      return undefined;
    }
    if (query instanceof PrecededQuery) {
      return this.#isInTransaction
        ? this.#pass(query.unprepared(null))
        : this.#begin(query.unprepared(this.#settings));
    }
    if (typeof query.submit === 'function') {
      if (!this.#isInTransaction) {
        throw new Error('COPY through a pooler is for transactions only');
      }
      return this.#pass(query);
    }
    const { name: _, ...given } = typeof query === 'string' ? { text: query } : query;
    return typeof values === 'function'
      ? this.#send(given, values)
      : this.#send({ ...given, values: values ?? given.values }, callback);
  }

  #send(query: pg.QueryConfig, callback: Callback | undefined): unknown {
    const command = query.text.trim().toLowerCase();
    const begins = /^begin\b/.test(command);
    if (this.#isInTransaction && !begins) {
      this.#isInTransaction = command !== 'commit' && command !== 'rollback';
      return this.#pass(query, callback);
    }
    this.#isInTransaction = begins;
    const preceded = begins
      ? new PrecededQuery([{ name: '', text: query.text, values: [] }], this.#settings).unprepared(null)
      : new PrecededQuery([], query).unprepared(this.#settings);
    if (callback !== undefined) {
      return this.#begin(preceded, callback);
    }
    return new Promise((resolve, reject) => {
      this.#begin(preceded, (error, result) => {
        if (begins && error && !(error instanceof pg.DatabaseError)) {
          // Given up, perhaps before it was sent: what follows would be sent without it, and without its settings.
          this.connection.stream.destroy(error);
        }
        error ? reject(error) : resolve(result);
      });
    });
  }

  #begin(query: PrecededQuery, callback?: Callback): unknown {
    this.#beginnings.add(query);
    return this.#pass(query, callback);
  }

  #pass(query: object, callback?: Callback): unknown {
    const send: (query: object, values?: undefined, callback?: Callback) => unknown = super.query;
    return send.call(this, query, undefined, callback);
  }

  override _pulsePipelinedQueryQueue(): void {
    const isFree = this.readyForQuery && this._sentQueryQueue.length === 0;
    const next = this._queryQueue.findIndex(
      (query, index) => this.#beginnings.has(query) && !(isFree && index === 0),
    );
    if (next !== 0) {
      const held = next === -1 ? [] : this._queryQueue.splice(next);
      super._pulsePipelinedQueryQueue();
      append(this._queryQueue, held);
    }
  }
}

export function createClient(config: ServiceConfig): Client {
  return new (clientOf(config))(config);
}

/** The kind of client that the configuration is for. */
export function clientOf({ eachTransaction }: ServiceConfig): typeof Client {
  return eachTransaction === undefined ? Client : (PooledClient as unknown as typeof Client);
}
