import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ListenAddress, listenFault } from './listen-fault.ts';

export interface Listening {
  url: string;
  /** Takes no new requests, and waits for those under way, at most {@link DRAIN_MS}. */
  close(): Promise<void>;
}

/** How long requests under way may take when the process stops, in milliseconds. */
export const DRAIN_MS = 10_000;

/**
 * @param prepare sees the server before it listens.
 * @throws AppError `unavailable`, naming the setting, if the address cannot be listened on.
 */
export async function listenOn(
  listener: RequestListener,
  address: ListenAddress,
  prepare: (server: Server) => void = () => {},
): Promise<Listening> {
  const { host, port } = address;
  const server = createServer(listener);
  prepare(server);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenFault(error, address);
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      // A connection whose last request ends only now would otherwise be kept alive for a next one.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}
