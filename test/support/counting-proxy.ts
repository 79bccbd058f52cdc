import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { TestDatabase } from './database.ts';

/** A way to the suite's database that counts round trips: how often something is sent after an answer. */
export async function openCountingProxy(
  database: TestDatabase,
): Promise<{ url: string; roundTrips(): number }> {
  const target = new URL(database.url);
  let count = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isAnswered = true;
    client.on('data', (bytes) => {
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
  return { url: url.href, roundTrips: () => count };
}
