import { once } from 'node:events';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { boundConnections } from './bound-connections.ts';
import { socketLimit } from './descriptor-limit.ts';
import { endConnections } from './end-connections.ts';
import { answerHalfClosed } from './half-closed.ts';
import { boundHandshakes } from './handshakes.ts';
import { closeLingeringly } from './lingering-close.ts';
import { type ListenAddress, listenFault } from './listen-fault.ts';
import { handleInTurn } from './pipelined-requests.ts';
import { beginByTurns } from './requests-by-turns.ts';
import type { ServerTls } from './server-tls.ts';
import { unusedConnections } from './unused-connections.ts';

// An import reads every export; WebSocket's would load an unused HTTP client: 13 MB and 30 ms.
const { createServer } = process.getBuiltinModule('node:http');

export interface Listening {
  url: string;
  /** Refuses new requests and waits for pending ones, at most {@link DRAIN_MS}. */
  close(): Promise<void>;
}

/** Milliseconds that requests may take to finish at shutdown. */
export const DRAIN_MS = 10_000;

/** Milliseconds at shutdown for a client that has just connected to send, and for one that was answered to read. */
const UNUSED_MS = 1_000;

/**
 * Milliseconds for a client to send the headers, and the whole request. A large body has a shorter limit of its own
 * (`platform/http/body-room.ts`), which fires first however long it waited for room.
 */
const HEADERS_MS = 15_000;
const REQUEST_MS = 180_000;

/** Milliseconds between checks of those two. */
const CHECK_MS = 5_000;

/**
 * Connections per listener. An idle one costs some 10 KB; a process has up to three listeners, and the embedded broker.
 */
const MOST_CONNECTIONS = 4_000;
const SHARE_OF_DESCRIPTORS = 0.15;

/**
 * Milliseconds that an idle connection is kept: longer than a load balancer's (commonly 60 s), so that none sends a
 * request just as it is closed here.
 */
const KEEP_ALIVE_MS = 75_000;

/**
 * Connections that the system holds until they are accepted, if `net.core.somaxconn` allows as many. Beyond that it drops the
 * first packet, and clients try again after one, three and seven seconds.
 */
export const MOST_NOT_ACCEPTED = 4_096;

export interface ListenOptions {
  prepare?: (server: Server) => void;
  /** When it aborts, connections close after the current answer; new ones are accepted until `close`. */
  stopping?: AbortSignal;
  mostConnections?: number;
  /** Null for plain HTTP. */
  tls?: ServerTls | null;
}

/** @throws AppError `unavailable`, naming the setting, if it cannot listen on the address. */
export async function listenOn(
  listener: RequestListener,
  address: ListenAddress,
  {
    prepare,
    stopping,
    mostConnections = socketLimit(MOST_CONNECTIONS, SHARE_OF_DESCRIPTORS),
    tls = null,
  }: ListenOptions = {},
): Promise<Listening> {
  const { host, port } = address;
  // Node.js would answer a missing `Host` by itself, without a reason; the listener gives one.
  const { server, endHandshakes } = serverFor(
    tls,
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      requireHostHeader: false,
    },
    handleInTurn(beginByTurns(listener)),
    mostConnections,
  );
  boundConnections(server, mostConnections);
  const closeUnused = unusedConnections(server);
  const leaving = new AbortController();
  stopping?.addEventListener('abort', () => leaving.abort());
  prepare?.(server);
  endConnections(server, leaving.signal);
  closeLingeringly(server);
  answerHalfClosed(server);
  server.listen(port, host, MOST_NOT_ACCEPTED);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenFault(error, address);
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: async () => {
      leaving.abort();
      const closed = once(server, 'close');
      server.close();
      // A response whose headers were sent before would otherwise keep its connection alive.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const unused = setTimeout(() => {
        closeUnused();
        endHandshakes();
      }, UNUSED_MS);
      const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(unused);
      clearTimeout(deadline);
    },
  };
}

function serverFor(
  tls: ServerTls | null,
  options: ServerOptions,
  listener: RequestListener,
  mostHandshakes: number,
): { server: Server; endHandshakes: () => void } {
  if (tls === null) {
    return { server: createServer(options, listener), endHandshakes: () => {} };
  }
  const https = process.getBuiltinModule('node:https');
  const server = https.createServer({ ...options, ...tls.options(), allowHalfOpen: true }, listener);
  tls.follow(server);
  return { server, endHandshakes: boundHandshakes(server, mostHandshakes) };
}
