import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { BoundedSockets, groupOfAddress } from './bounded-sockets.ts';
import { socketLimit } from './descriptor-limit.ts';
import { boundHandshakes } from './handshakes.ts';
import type { Lifecycle } from './lifecycle.ts';
import { closeLingeringly, connectionEvent } from './lingering-close.ts';
import { type ListenAddress, listenFault } from './listen-fault.ts';
import { handleInTurn, underWayOn } from './pipelined-requests.ts';
import type { ServerTls } from './server-tls.ts';

// An import reads every export; WebSocket's would load an unused HTTP client: 13 MB and 30 ms.
const { createServer } = process.getBuiltinModule('node:http');

export interface Listening {
  url: string;
  /** Refuses new requests and waits for pending ones, at most {@link DRAIN_MS}. */
  close(): Promise<void>;
}

/** Milliseconds that requests may take to finish at shutdown. */
export const DRAIN_MS = 10_000;

/** Milliseconds at shutdown for a new client to send, and for an answered one to read. */
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
 * Milliseconds to keep an idle connection: longer than load balancers do (commonly 60 s), so that none sends a request
 * just as it is closed here.
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

/**
 * Listens until the process stops.
 *
 * @param options.says logged with the address.
 * @throws AppError `unavailable`, naming the setting, if it cannot listen on the address.
 */
export async function serve(
  listener: RequestListener,
  address: ListenAddress,
  {
    says,
    log,
    lifecycle,
    ...options
  }: Pick<ListenOptions, 'prepare' | 'tls'> & { says: string; log: Logger; lifecycle: Lifecycle },
): Promise<{ url: string }> {
  const { url } = await lifecycle.start(
    'http',
    () => listenOn(listener, address, { ...options, stopping: lifecycle.stopping }),
    (started) => started.close(),
  );
  log.info({ address: url }, says);
  return { url };
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
    mostConnections,
  );
  const sockets = boundConnections(server, mostConnections);
  new BeganByTurns(listener, () => sockets.pinned < mostConnections * SHARE_PINNED).follow(server);
  const closeUnused = unusedConnections(server);
  const leaving = new AbortController();
  stopping?.addEventListener('abort', () => leaving.abort());
  prepare?.(server);
  endConnections(server, leaving.signal);
  refuseCrumbs(server);
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
  mostHandshakes: number,
): { server: Server; endHandshakes: () => void } {
  if (tls === null) {
    return { server: createServer(options), endHandshakes: () => {} };
  }
  const https = process.getBuiltinModule('node:https');
  const server = https.createServer({ ...options, ...tls.options(), allowHalfOpen: true });
  tls.follow(server);
  return { server, endHandshakes: boundHandshakes(server, mostHandshakes) };
}

/**
 * Bounds a server's connections but always admits new ones: when full, it closes the longest idle connection
 * of the address with most. Idle means that the server waits for the client: between requests, while headers
 * or a body come in, and while a response is not read. Requests being handled are never cut off, so slow
 * senders and readers cannot keep others out.
 */
function boundConnections(server: Server, most: number): BoundedSockets {
  const sockets = new BoundedSockets(most);
  server.on(connectionEvent(server), (socket: Socket) =>
    sockets.add(socket, groupOfAddress(socket.remoteAddress)),
  );
  function release(this: ServerResponse): void {
    sockets.release(this.req.socket);
  }
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    if (coding === undefined && Number(length) === 0) {
      sockets.pin(socket);
    } else {
      sockets.release(socket);
      request.once('end', () => response.writableEnded || sockets.pin(socket));
    }
    response.on('prefinish', release);
  });
  return sockets;
}

/**
 * Once `leaving` aborts, every response closes its connection, including pending ones whose headers were not sent.
 * Otherwise a client could send on a connection just as the server closes it, and its request would fail.
 */
function endConnections(server: Server, leaving: AbortSignal): void {
  const latest = new Map<Socket, ServerResponse>();
  server.on(connectionEvent(server), (socket: Socket) => {
    socket.once('close', () => latest.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
    if (leaving.aborted) {
      response.setHeader('Connection', 'close');
    }
  });
  leaving.addEventListener('abort', () => {
    for (const response of latest.values()) {
      if (!response.headersSent) {
        response.setHeader('Connection', 'close');
      }
    }
  });
}

/** Chunks that a body may come in, beside one more for so many bytes. Small devices send a text byte by byte. */
const FREE_CHUNKS = 2_048;
const BYTES_A_CHUNK = 16;

export const CRUMBS = 'TAGTRAIL_CRUMBS';

/**
 * Ends a connection whose body comes in chunks of next to no bytes. Each chunk costs as much as a large one: 600 kB a second
 * of them kept the event loop busy all the time, from callers without a login too. Nothing more is read of them.
 */
function refuseCrumbs(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] === undefined) {
      return;
    }
    const push = request.push.bind(request);
    let left = FREE_CHUNKS;
    request.push = (chunk: Buffer | null, encoding) => {
      left += chunk === null ? 0 : chunk.length / BYTES_A_CHUNK - 1;
      if (left >= 0) {
        return push(chunk, encoding);
      }
      request.push = () => false;
      // Those that came take some hundred bytes of memory each, and the connection lingers.
      request.read();
      server.emit('clientError', Object.assign(new Error('crumbs'), { code: CRUMBS }), request.socket);
      return false;
    };
  });
}

interface HalfOpen extends Server {
  httpAllowHalfOpen: boolean;
}

/**
 * Milliseconds to the first probe of a half-closed connection, and between probes. One probe's effect shows at the
 * next.
 */
const FIRST_LOOKS = [200, 50];
const LOOK = 1_000;

/**
 * Answers callers that closed their side after the request, as `nc -N` and some proxies do; Node.js would end
 * the connection. A caller that hung up altogether looks the same until something is sent. So longer work is
 * preceded by interim responses (102, RFC 9110 section 15.2), which an HTTP/1.1 caller ignores; if the caller
 * is gone its machine resets the connection, and the request is abandoned. HTTP/1.0 has no interim responses:
 * such a caller just gets the answer.
 *
 * Likewise while a connection is not read, since more requests are pipelined behind the one under way
 * (pipelined-requests.ts): no end of any kind is noticed then.
 */
function answerHalfClosed(server: Server): void {
  (server as HalfOpen).httpAllowHalfOpen = true;
  server.on(connectionEvent(server), (socket: Socket) => {
    let isLooking = false;
    const begin = () => {
      if (isLooking) {
        return;
      }
      isLooking = true;
      const pauses = [...FIRST_LOOKS];
      const look = () => {
        const response = underWayOn(socket);
        isLooking = response !== null && !socket.destroyed && (socket.readableEnded || socket.isPaused());
        if (response === null || !isLooking) {
          return;
        }
        const isOpen = !response.headersSent && !response.writableEnded;
        if (isOpen && response.req.httpVersionMinor > 0) {
          response.writeProcessing();
        }
        again();
      };
      const again = () => setTimeout(look, pauses.shift() ?? LOOK).unref();
      again();
    };
    socket.once('end', begin);
    socket.on('pause', begin);
  });
}

/**
 * Closes connections that Node.js does not count as idle and would wait for at shutdown: those on which nothing was
 * ever sent, as browsers open in advance, and those that were answered and half-closed while the client neither reads
 * nor closes.
 *
 * @returns a function that closes them.
 */
function unusedConnections(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on(connectionEvent(server), (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) {
      if (socket.bytesRead === 0 || socket.writableFinished) {
        socket.destroy();
      }
    }
  };
}

/**
 * Requests begun in a round of the event loop. With one a round, look-ups on 32 connections took 1.4 times as long, since writes
 * to the database are gathered within a round (`gatherWrites`).
 */
const EACH_ROUND = 8;

/** Rounds in a row that let a connection in: they begin no first requests, and few others so that they are short. */
const LETTING_IN = 64;
const EACH_LETTING_IN = 2;

/** Share of the connections there is room for. Those whose requests wait are pinned: with more, idle ones of others would be closed. */
const SHARE_PINNED = 0.5;

/**
 * Begins requests in turn by address and, within an address, by the login that they claim; a few in each round of the event loop.
 * In a round one connection is accepted at each port, however many wait (libuv 1.52): while 500 connections of a stranger had a
 * request in every round, two thirds of all others were not accepted within eight seconds. So a connection's first request waits
 * while others are accepted: the last of 900 opened at once would otherwise wait until the requests of all before it were handled.
 */
class BeganByTurns {
  readonly #listener: RequestListener;
  readonly #hasRoom: () => boolean;
  readonly #seen = new WeakSet<Socket>();
  readonly #first: Turns = new Map();
  readonly #further: Turns = new Map();
  #isComing = false;
  #lettingIn = 0;
  #next: NodeJS.Immediate | null = null;

  constructor(listener: RequestListener, hasRoom: () => boolean) {
    this.#listener = listener;
    this.#hasRoom = hasRoom;
  }

  follow(server: Server): void {
    server.on('connection', () => {
      this.#isComing = true;
    });
    server.on(
      'request',
      handleInTurn((...exchange) => this.#add(exchange)),
    );
  }

  #add(exchange: Exchange): void {
    const [{ socket, headers }] = exchange;
    const turns = this.#seen.has(socket) ? this.#further : this.#first;
    this.#seen.add(socket);
    const login = headers.authorization ?? headers.cookie ?? '';
    addTo(turns, groupOfAddress(socket.remoteAddress), login, exchange);
    this.#next ??= setImmediate(() => this.#beginSome());
  }

  #beginSome(): void {
    const isLettingIn = this.#isComing && this.#lettingIn < LETTING_IN && this.#hasRoom();
    this.#lettingIn = isLettingIn ? this.#lettingIn + 1 : 0;
    this.#isComing = false;
    const most = this.#lettingIn > 0 ? EACH_LETTING_IN : EACH_ROUND;
    for (let begun = 0; begun < most; begun++) {
      const [one, other] = begun % 2 === 0 ? [this.#first, this.#further] : [this.#further, this.#first];
      const next = this.#lettingIn > 0 ? takeFrom(this.#further) : (takeFrom(one) ?? takeFrom(other));
      if (next === undefined) {
        break;
      }
      // The caller may have hung up.
      if (!next[0].socket.destroyed) {
        this.#listener(...next);
      }
    }
    const isMore = this.#first.size + this.#further.size > 0;
    this.#next = isMore ? setImmediate(() => this.#beginSome()) : null;
  }
}

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** Requests by address and login, each in order of their turns. */
type Turns = Map<string, Map<string, Exchange[]>>;

function addTo(turns: Turns, address: string, login: string, exchange: Exchange): void {
  const logins = turns.get(address) ?? new Map<string, Exchange[]>();
  const exchanges = logins.get(login) ?? [];
  exchanges.push(exchange);
  turns.set(address, logins.set(login, exchanges));
}

function takeFrom(turns: Turns): Exchange | undefined {
  for (const [address, logins] of turns) {
    for (const [login, exchanges] of logins) {
      const next = exchanges.shift();
      putLast(logins, login, exchanges, exchanges.length > 0);
      putLast(turns, address, logins, logins.size > 0);
      return next;
    }
  }
  return undefined;
}

function putLast<Value>(turns: Map<string, Value>, name: string, value: Value, isLeft: boolean): void {
  turns.delete(name);
  if (isLeft) {
    turns.set(name, value);
  }
}
