import pg from 'pg';
import type { RowQuery } from '../queries/sql.ts';
import { any, type Connection, exec, maybeOne, one } from '../queries/verbs.ts';

// biome-ignore lint/suspicious/noExplicitAny: TypeScript wants these arguments of a class to mix something into
type Sender = new (...parts: any[]) => Pick<pg.ClientBase, 'query'>;

function withVerbs<Base extends Sender>(base: Base) {
  return class extends base implements Connection {
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
  };
}

/** With `pipeline` on, statements sent without awaiting each other travel together. */
export class Client extends withVerbs(pg.Client) {}

export type PoolClient = Client & pg.PoolClient;

export type Pool = Omit<pg.Pool, 'connect'> & Connection & { connect(): Promise<PoolClient> };

class VerbPool extends withVerbs(pg.Pool) {}

export function poolOf(config: pg.PoolConfig): Pool {
  return new VerbPool({ ...config, Client }) as unknown as Pool;
}
