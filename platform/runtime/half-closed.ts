import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Undeclared members of Node.js. */
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
 * Answers callers that closed their side after the request, as `nc -N` and some proxies do; Node.js would end the
 * connection. A caller that hung up altogether looks the same until something is sent. So longer work is preceded by
 * interim responses (102, RFC 9110 section 15.2), which an HTTP/1.1 caller ignores; the machine of one that is gone
 * resets the connection, and its request is abandoned. HTTP/1.0 has no interim responses: such a caller just gets the
 * answer.
 */
export function answerHalfClosed(server: Server): void {
  (server as HalfOpen).httpAllowHalfOpen = true;
  const latest = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
  });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const pauses = [...FIRST_LOOKS];
      const look = () => {
        const response = latest.get(socket);
        if (response === undefined || response.writableEnded || socket.destroyed) {
          return;
        }
        const isItsTurn = response.socket !== null && !response.headersSent;
        if (isItsTurn && response.req.httpVersionMinor > 0) {
          response.writeProcessing();
        }
        again();
      };
      const again = () => setTimeout(look, pauses.shift() ?? LOOK).unref();
      again();
    });
  });
}
