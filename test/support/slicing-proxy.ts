import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestDatabase } from './database.ts';

/** Bytes: fewer than a statement with its settings takes. */
const SLICE = 600;

/** A way to a server on which what a client sends comes in slices, with time to answer each, until the database is dropped. */
export async function openSlicingProxy(database: TestDatabase, address: string): Promise<string> {
  const target = new URL(address);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname).setNoDelay(true);
    client.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.destroy());
    sockets.add(client).add(upstream);
    upstream.pipe(client);
    void (async () => {
      for await (const bytes of client as AsyncIterable<Buffer>) {
        for (let from = 0; from < bytes.length; from += SLICE) {
          upstream.write(bytes.subarray(from, from + SLICE));
          await pause(1);
        }
      }
    })().catch(() => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  database.beforeDrop(async () => {
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  const url = new URL(address);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href;
}
