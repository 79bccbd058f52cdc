import pg from 'pg';
import type { RowQuery } from '../queries/sql.ts';
import { any, type Connection, exec, maybeOne, one } from '../queries/verbs.ts';

/**
 * A `pg` connection with the verbs. Where it pipelines, statements sent without awaiting each other travel together.
 */
export class Client extends pg.Client implements Connection {
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
}

export type PoolClient = Client & pg.PoolClient;

export type Pool = Omit<pg.Pool, 'connect'> & Connection & { connect(): Promise<PoolClient> };

class VerbPool extends pg.Pool implements Connection {
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
}

export function poolOf(config: pg.PoolConfig): Pool {
  return new VerbPool({ ...config, Client }) as unknown as Pool;
}
