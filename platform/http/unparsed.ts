import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ulid } from 'ulid';
import { endLingeringly } from '../runtime/lingering-close.ts';
import type { ListenAddress } from '../runtime/listen-fault.ts';
import { CRUMBS, serve } from '../runtime/listen-on.ts';
import { badRequest, envelope, type Headers, PROBLEMS, Problem } from './problem.ts';

// Not imported: that would load an HTTP client (listen-on.ts).
const http = process.getBuiltinModule('node:http');

/** Serves an app whose limiter gives the headers of every answer. */
export function serveApp(
  app: { callback(): RequestListener },
  limiter: { idle(): Headers },
  address: ListenAddress,
  options: Omit<Parameters<typeof serve>[2], 'prepare'>,
): Promise<{ url: string }> {
  return serve(app.callback(), address, {
    ...options,
    prepare: (server) => answerUnparsed(server, () => limiter.idle()),
  });
}

/**
 * Sends an error envelope in cases that Node.js handles itself (contract 7.1): unparsable requests,
 * CONNECT and methods unknown to Node.js, which are refused like PUT. An unknown `Expect` header is ignored.
 *
 * @param headers common to all answers.
 */
export function answerUnparsed(server: Server, headers: () => Headers): void {
  const latest = new WeakMap<Duplex, Exchange>();
  server.prependListener('request', (request: IncomingMessage, response) => {
    latest.set(request.socket, { request, response, before: latest.get(request.socket)?.response });
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const refuse = (request: IncomingMessage, socket: Socket) => {
    const response = new http.ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => endLingeringly(socket));
    server.emit('request', request, response);
  };
  server.on('connect', (request, socket) => {
    // A socket has one response at a time; assigning a second throws, which would end the process. So the connection ends.
    const before = latest.get(socket)?.response;
    if (before === undefined || before.closed) {
      refuse(request, socket as Socket);
    } else {
      before.once('close', () => socket.end(() => socket.destroy()));
    }
  });
  const ended = new WeakSet<Duplex>();
  server.on('clientError', (error: ParseError, socket) => {
    const isEnding = ended.has(socket);
    if (error.code === 'ECONNRESET' || (!socket.writable && !isEnding)) {
      socket.destroy(error);
    } else if (!isEnding) {
      // Anything received after this is not a request either.
      ended.add(socket);
      const exchange = latest.get(socket);
      const request = withUnknownMethod(error, socket as Socket);
      if (request !== null) {
        const before = exchange?.response;
        const inTurn = () => refuse(request, socket as Socket);
        before === undefined || before.closed ? inTurn() : before.once('close', inTurn);
        return;
      }
      const path =
        exchange === undefined || exchange.request.complete
          ? pathInPacket(error.rawPacket, error.bytesParsed)
          : pathOfTarget(exchange.request.url ?? '');
      endAfter(exchange, socket as Socket, answer(problemOf(error), path, headers()));
    }
  });
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The answer to the preceding request on the connection. */
  before: ServerResponse | undefined;
}

/**
 * Answers an unparsable request in its turn: a valid request before it must not look refused. If the fault is
 * in a request's body, there is one answer for both, and that comes after those to requests in front.
 */
function endAfter(latest: Exchange | undefined, socket: Socket, refusal: string): void {
  if (latest === undefined) {
    endLingeringly(socket, refusal);
    return;
  }
  const { request, response, before } = latest;
  const isOwn = !request.complete;
  if (isOwn && before !== undefined && !before.writableFinished) {
    before.once('finish', () => endAfter({ ...latest, before: undefined }, socket, refusal));
    return;
  }
  const last = isOwn && response.headersSent ? '' : refusal;
  if (response.writableFinished || (isOwn && !response.headersSent)) {
    endLingeringly(socket, last);
  } else {
    response.once('finish', () => endLingeringly(socket, last));
  }
}

interface ParseError extends NodeJS.ErrnoException {
  /** The last packet, which has the fault; absent after a timeout. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/**
 * The request, if only its method is at fault: as CONNECT, a method that the router knows and no route has, and as
 * HTTP/1.0, which needs no headers.
 */
function withUnknownMethod(
  { code, rawPacket, bytesParsed }: ParseError,
  socket: Socket,
): IncomingMessage | null {
  const [method, target, version] = requestLine(rawPacket, bytesParsed);
  const isReadable = /[A-Za-z]$/.test(method) && /^[!-~]+$/.test(target) && /^HTTP\/1\.[01]$/.test(version);
  if (code !== 'HPE_INVALID_METHOD' || !isReadable || target.length > http.maxHeaderSize) {
    return null;
  }
  const request = new http.IncomingMessage(socket);
  const read = { httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0, complete: true };
  Object.assign(request, { method: 'CONNECT', url: target, ...read });
  request.push(null);
  return request;
}

function problemOf({ code }: ParseError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return badRequest('Request target and headers are too long');
    case CRUMBS:
      return badRequest('Request body comes in too many small chunks; send larger ones, or Content-Length');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'Request was not sent in time', {
        headers: { 'Retry-After': '1' },
      });
    default:
      return badRequest('Request is not valid HTTP');
  }
}

function answer(problem: Problem, path: string, headers: Headers): string {
  const requestId = ulid();
  const body = JSON.stringify(envelope(problem, path, requestId).body);
  const { status, title } = PROBLEMS[problem.type];
  return [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? title}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    ...Object.entries({ ...headers, ...problem.headers }).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/**
 * The path of an unparsable request (contract 7.1, `instance`) if its request line is in the last packet; else `/`.
 *
 * @param bytesParsed offset of the fault.
 */
function pathInPacket(packet: Buffer | undefined, bytesParsed = 0): string {
  const [method, target, version] = requestLine(packet, bytesParsed);
  return /[A-Za-z]$/.test(method) && /^HTTP\/\d\.\d$/.test(version) ? pathOfTarget(target) : '/';
}

function requestLine(
  packet: Buffer | undefined,
  bytesParsed = 0,
): [method: string, target: string, version: string] {
  const text = packet?.toString('latin1') ?? '';
  const before = text.lastIndexOf(END_OF_HEADERS, bytesParsed - END_OF_HEADERS.length);
  const begin = before === -1 ? 0 : before + END_OF_HEADERS.length;
  // The previous request's body may precede it.
  const [line = ''] = text.slice(begin).split(/\r?\n/, 1);
  const [method = '', target = '', version = ''] = line.split(' ').slice(-3);
  return [method, target, version];
}

function pathOfTarget(target: string): string {
  if (target.startsWith('/')) {
    const [path = ''] = target.split(/[?#]/, 1);
    return path.replace(
      /[^!-~]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
  }
  const path = URL.canParse(target) ? new URL(target).pathname : '';
  return path.startsWith('/') ? path : '/';
}

const END_OF_HEADERS = '\r\n\r\n';
