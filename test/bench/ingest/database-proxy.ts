import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between ingestion and its database, and can part them. */
export interface DatabaseProxy {
  /** The database's address by way of here. */
  url: string;
  /** Ends the connections there are and refuses new ones, as a server that went down. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port || 5432), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const by = new URL(url);
  by.hostname = '127.0.0.1';
  by.port = String(typeof address === 'object' ? address?.port : '');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  return {
    url: by.href,
    cut,
    mend: () => {
      isCut = false;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
