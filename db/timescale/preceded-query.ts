import pg from 'pg';

/** A statement that returns no rows, prepared under its name on the connection, with the values to run it with. */
export interface Preceding {
  name: string;
  values: string[];
}

/**
 * Sends a query behind another statement, in one message sequence with one Sync at its end. To PostgreSQL that is one
 * transaction: what the first sets locally the second sees and nothing else does, and if the first fails the second
 * does not run (PostgreSQL documentation, "Extended Query", on pipelining). One sequence is also less work than two:
 * `test/bench/README.md` has the figures.
 */
export function sendPreceded(
  client: pg.Client,
  preceding: Preceding,
  query: pg.QueryConfig,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const preceded = new PrecededQuery(preceding, query);
    preceded.callback = (error, result) => (error === null ? resolve(result) : reject(error));
    client.query(preceded);
  });
}

/** What is used of `pg`'s own query; not a documented promise, so the version is pinned and tests hold it. */
interface InnerQuery {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  submit(connection: pg.Connection): void;
  /** Sends everything up to and with the Sync. */
  prepare(connection: pg.Connection): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}

const InnerQuery = pg.Query as unknown as new (config: pg.QueryConfig) => InnerQuery;

class PrecededQuery extends InnerQuery {
  readonly #preceding: Preceding;
  #isPreceded = false;

  constructor(preceding: Preceding, query: pg.QueryConfig) {
    // A query without name and values would be sent by the simple protocol, past `prepare`.
    super({ ...query, queryMode: 'extended' } as pg.QueryConfig);
    this.#preceding = preceding;
  }

  override prepare(connection: pg.Connection): void {
    const { name, values } = this.#preceding;
    connection.bind({ statement: name, values }, true);
    connection.execute({}, true);
    super.prepare(connection);
  }

  /** The first of two is of the statement before. */
  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isPreceded) {
      super.handleCommandComplete(message, connection);
    }
    this.#isPreceded = true;
  }
}
