import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readPast } from './read-past.ts';

/**
 * Lets a client that sends without reading see its answer. Closing a connection while bytes come in resets
 * it, and the reset discards an answer still on its way: of 30 MB sent to a body over the limit, no answer
 * came back. So the answer is sent, this side is closed, and the rest is read and discarded within bounds;
 * the same bounds hold for the rest of a body on a kept connection.
 */
export function closeLingeringly(server: Server): void {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.on(connectionEvent(server), (socket: Socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // Node.js calls this after writing the connection's last answer.
    socket.destroySoon = () => {
      const request = latest.get(socket);
      if (request === undefined || request.complete) {
        destroySoon();
      } else {
        socket.end();
      }
    };
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) {
      latest.delete(request.socket);
      return;
    }
    latest.set(request.socket, request);
    // Before Node.js's own listener, which would read past the body as fast as it arrives.
    response.prependOnceListener('finish', () => {
      if (!request.complete) {
        if (!request.readableDidRead) {
          void readPast(request);
        }
        discardWithin(request.socket, () => {
          if (request.complete && response.shouldKeepAlive === false) {
            request.socket.destroySoon();
          }
          return request.complete;
        });
      }
    });
  });
}

/** Ends a connection without a parser: sends `last` and discards the rest, within bounds. */
export function endLingeringly(socket: Socket, last = ''): void {
  socket.end(last);
  socket.resume();
  discardWithin(socket, () => false);
}

export const LINGERS = { bytes: 67_108_864, milliseconds: 30_000 };

const LOOK_MS = 50;

function discardWithin(socket: Socket, isOver: () => boolean): void {
  const before = socket.bytesRead;
  const until = performance.now() + LINGERS.milliseconds;
  const timer = setInterval(() => {
    if (socket.bytesRead - before > LINGERS.bytes || performance.now() > until) {
      socket.destroy();
    }
    if (socket.destroyed || isOver()) {
      clearInterval(timer);
    }
  }, LOOK_MS);
  timer.unref();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The event of a connection that can be read: with TLS it comes after the handshake. */
export function connectionEvent(server: Server): string {
  return 'setSecureContext' in server ? 'secureConnection' : 'connection';
}
