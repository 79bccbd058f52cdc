import type pg from 'pg';
import { Client } from './client.ts';
import { PrecededQuery, type Preceding, Preparing } from './preceded-query.ts';
import type { ServiceConfig } from './service-connections.ts';
import { asStatement } from './session-settings.ts';

type Callback = (error: Error, result: pg.QueryResult) => void;

/**
 * A connection through a pooler in transaction mode, where each transaction may come to another session of PostgreSQL.
 * So every transaction, and every statement outside of one, begins with the settings that others start their connection
 * with, the role among them; and no statement is prepared under a name.
 *
 * If the settings are refused, so is all that follows in the transaction: nothing runs as another role.
 */
export class PooledClient extends Client {
  readonly #settings: Preceding;
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
      return this.#pass(query.unprepared(this.#isInTransaction ? null : this.#settings));
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
      return this.#pass(preceded, callback);
    }
    return new Promise((resolve, reject) => {
      this.#pass(preceded, (error, result) => (error ? reject(error) : resolve(result)));
    });
  }

  #pass(query: object, callback?: Callback): unknown {
    const send: (query: object, values?: undefined, callback?: Callback) => unknown = super.query;
    return send.call(this, query, undefined, callback);
  }
}
