import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from './database.ts';

/**
 * Where a connection to the database is cut: when its COMMIT comes (or whatever else is waited for), which the server never sees; when the answer to
 * that comes, which the client never sees; or when the COMMIT comes and for the client only, the server being left to
 * wait for it.
 */
export type Cut = 'before commit' | 'after commit' | 'unheard';

export interface CuttingProxy {
  /** The database's address through the proxy. */
  url: string;
  /** Cuts the next connection that commits, or sends what `isAwaited` says, once. */
  cutNext(cut: Cut, isAwaited?: (bytes: Buffer) => boolean): void;
  cuts(): number;
}

const isCommit = (bytes: Buffer) => bytes.includes('commit\0');

/** A way to the suite's database that is cut at will. */
export async function openCuttingProxy(database: TestDatabase): Promise<CuttingProxy> {
  const target = new URL(database.url);
  const sockets = new Set<Socket>();
  let next: Cut | null = null;
  let isTime = isCommit;
  let count = 0;
  const take = () => {
    const cut = next;
    next = null;
    count += 1;
    return cut;
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isAnswerToBeCut = false;
    const destroyBoth = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (bytes) => {
      if (next === null || !isTime(bytes)) {
        upstream.write(bytes);
        return;
      }
      const cut = take();
      if (cut === 'after commit') {
        isAnswerToBeCut = true;
        upstream.write(bytes);
      } else if (cut === 'before commit') {
        destroyBoth();
      } else {
        upstream.removeAllListeners('close');
        client.removeListener('close', destroyBoth).destroy();
      }
    });
    upstream.on('data', (bytes) => {
      // What was sent before the COMMIT, without waiting, may be answered only now.
      if (isAnswerToBeCut && (isTime !== isCommit || bytes.includes('COMMIT\0'))) {
        destroyBoth();
      } else {
        client.write(bytes);
      }
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', destroyBoth);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  database.beforeDrop(async () => {
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    cutNext: (cut, isAwaited = isCommit) => {
      next = cut;
      isTime = isAwaited;
    },
    cuts: () => count,
  };
}
