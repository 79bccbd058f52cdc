import type pg from 'pg';
import { type RowQuery, toConfig } from './sql.ts';

/**
 * Anything that sends queries: a connection, a transaction, a pool, a tenant-scoped connection. A function
 * with SQL takes one, and the verb states how many rows it expects.
 */
export interface Connection {
  any<Row>(query: RowQuery<Row>): Promise<readonly Row[]>;
  /** @throws RangeError unless there is exactly one row. */
  one<Row>(query: RowQuery<Row>): Promise<Row>;
  /** @throws RangeError if there is more than one row. */
  maybeOne<Row>(query: RowQuery<Row>): Promise<Row | null>;
  /** @returns the number of rows written or found. */
  exec(query: RowQuery<unknown>): Promise<number>;
}

interface Sender {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>;
}

export function verbsOn(query: Sender['query']): Connection {
  const sender = { query };
  return {
    any: (each) => any(sender, each),
    one: (each) => one(sender, each),
    maybeOne: (each) => maybeOne(sender, each),
    exec: (each) => exec(sender, each),
  };
}

export async function any<Row>(sender: Sender, query: RowQuery<Row>): Promise<readonly Row[]> {
  return (await sender.query(toConfig(query))).rows;
}

export async function one<Row>(sender: Sender, query: RowQuery<Row>): Promise<Row> {
  const row = await maybeOne(sender, query);
  if (row === null) {
    throw new RangeError('a query for one row returned none');
  }
  return row;
}

export async function maybeOne<Row>(sender: Sender, query: RowQuery<Row>): Promise<Row | null> {
  const { rows } = await sender.query(toConfig(query));
  if (rows.length > 1) {
    throw new RangeError(`${rows.length} rows returned by a query for at most one`);
  }
  return rows[0] ?? null;
}

export async function exec(sender: Sender, query: RowQuery<unknown>): Promise<number> {
  return (await sender.query(toConfig(query))).rowCount ?? 0;
}
