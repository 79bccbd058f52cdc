import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ulid } from 'ulid';
import { endLingeringly } from '../runtime/lingering-close.ts';
import { badRequest, envelope, type Headers } from './problem.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/**
 * Has the server answer with an envelope where Node.js on its own would not: to what it cannot parse as a request, so
 * that there is no path and no request id of the caller's, to CONNECT, which is a method like any other here, and to an
 * `Expect` header it does not know, which is passed over (interface section 7.1: every response that is not a success).
 *
 * @param headers what else every answer has.
 */
export function answerUnparsed(server: Server, headers: () => Headers): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request: IncomingMessage, response) => {
    answering.set(request.socket, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request, socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => endLingeringly(socket as Socket));
    server.emit('request', request, response);
  });
  const ended = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What still comes after the answer is no request either.
    if (ended.has(socket) && error.code !== 'ECONNRESET') {
      return;
    }
    const response = answering.get(socket);
    const isAnswered = response?.headersSent === true && !response.writableFinished;
    if (socket.writable && !isAnswered && error.code !== 'ECONNRESET') {
      ended.add(socket);
      endLingeringly(
        socket as Socket,
        answer(DETAILS[error.code ?? ''] ?? 'Request is not valid HTTP', headers()),
      );
    } else {
      socket.destroy(error);
    }
  });
}

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'Request target and headers are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'Request was not sent in time',
};

function answer(detail: string, headers: Headers): string {
  const requestId = ulid();
  const body = JSON.stringify(envelope(badRequest(detail), '', requestId));
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
