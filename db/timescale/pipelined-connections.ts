import pg from 'pg';

interface Shared {
  client: pg.Client;
  /** Statements sent and not answered. */
  underWay: number;
}

/**
 * A few connections that many callers share: statements are sent as they come, without waiting for the answers to
 * those before, and two statements that belong together are sent back to back in one write, so that none of another
 * caller comes between. A connection is opened when all others are busy, and forgotten when it is lost.
 */
export class PipelinedConnections {
  readonly #config: pg.ClientConfig;
  readonly #max: number;
  readonly #open: Shared[] = [];
  readonly #opening = new Set<Promise<Shared>>();
  #isEnded = false;

  /** @param config with `pipeline` on. */
  constructor(config: pg.ClientConfig, max: number) {
    this.#config = config;
    this.#max = max;
  }

  /** Sends `first` and `second` back to back, and gives the answer to the second. */
  async query(first: pg.QueryConfig, second: pg.QueryConfig): Promise<pg.QueryResult> {
    const connection = this.#leastBusy() ?? (await this.#openAnother());
    connection.underWay += 1;
    try {
      const { client } = connection;
      return (await Promise.all([client.query(first), client.query(second)]))[1];
    } finally {
      connection.underWay -= 1;
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#open.splice(0).map(({ client }) => client.end()));
  }

  /** The connection to use, or null if one more is to be opened. */
  #leastBusy(): Shared | null {
    const [first, ...others] = this.#open;
    if (first === undefined) {
      return null;
    }
    const least = others.reduce((best, each) => (each.underWay < best.underWay ? each : best), first);
    return least.underWay === 0 || this.#open.length + this.#opening.size >= this.#max ? least : null;
  }

  /** One more connection, or, where as many as may be are being opened, the first of those. */
  #openAnother(): Promise<Shared> {
    if (this.#opening.size >= this.#max) {
      return Promise.any(this.#opening);
    }
    const opening = this.#connect().finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return opening;
  }

  async #connect(): Promise<Shared> {
    const client = new pg.Client(this.#config);
    const connection = { client, underWay: 0 };
    const forget = () => {
      const index = this.#open.indexOf(connection);
      if (index !== -1) {
        this.#open.splice(index, 1);
      }
    };
    client.on('error', forget);
    client.once('end', forget);
    await client.connect();
    if (this.#isEnded) {
      await client.end();
      throw new Error('the connections are ended');
    }
    this.#open.push(connection);
    return connection;
  }
}
