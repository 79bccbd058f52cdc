import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { TestDatabase } from './database.ts';

export interface CountingProxy {
  url: string;
  /** How many connections were made, or of them as this application. */
  connections(application?: string): number;
  /** How often something was sent after an answer. */
  roundTrips(): number;
  /** The names of the prepared statements that were run, in their order. */
  statements(): readonly string[];
}

/** A way to the suite's database that counts what goes over it. */
export async function openCountingProxy(database: TestDatabase): Promise<CountingProxy> {
  const target = new URL(database.url);
  let count = 0;
  const applications: (string | undefined)[] = [];
  const statements: string[] = [];
  const server = createServer((client) => {
    client.once('data', (bytes) => {
      applications.push(/\0application_name\0([^\0]*)/.exec(bytes.toString('latin1'))?.[1]);
    });
    const upstream = connect(Number(target.port), target.hostname);
    const bound = new BoundStatements((name) => statements.push(name));
    let isAnswered = true;
    client.on('data', (bytes) => {
      bound.read(bytes);
      count += isAnswered ? 1 : 0;
      isAnswered = false;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      isAnswered = true;
      client.write(bytes);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  database.beforeDrop(async () => {
    server.close();
  });
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    connections: (application) =>
      applications.filter((each) => application === undefined || each === application).length,
    roundTrips: () => count,
    statements: () => statements,
  };
}

/** Reads what a client sends to PostgreSQL, and tells of every prepared statement that is run, by its name. */
class BoundStatements {
  readonly #onBound: (name: string) => void;
  #rest = Buffer.alloc(0);
  #isStarted = false;

  constructor(onBound: (name: string) => void) {
    this.#onBound = onBound;
  }

  read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      // The first message has no type.
      const start = this.#isStarted ? 1 : 0;
      if (this.#rest.length < start + 4) {
        return;
      }
      const end = start + this.#rest.readUInt32BE(start);
      if (this.#rest.length < end) {
        return;
      }
      this.#message(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(end);
      this.#isStarted = true;
    }
  }

  #message(message: Buffer): void {
    if (this.#isStarted && message.toString('latin1', 0, 1) === 'B') {
      const [, name = ''] = message.toString('latin1', 5).split('\0', 2);
      this.#onBound(name);
    }
  }
}
