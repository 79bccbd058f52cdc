import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What Node.js has for this and does not declare. */
interface HalfOpen extends Server {
  httpAllowHalfOpen: boolean;
}

/**
 * Milliseconds after which a caller that said it sends no more is asked whether it still listens, and from one question
 * to the next. What one question brings about is seen by the next.
 */
const FIRST_LOOKS = [200, 50];
const LOOK = 1_000;

/**
 * Answers callers that have closed their side behind the request, as `nc -N` and some proxies do; Node.js would end the
 * connection. One that hung up altogether looks the same until something is sent to it. So what takes longer is preceded
 * by interim responses (102, RFC 9110 section 15.2), which a caller of HTTP/1.1 passes over; the machine of one that is
 * gone resets the connection, and then its request is not carried on with. HTTP/1.0 has no interim responses: to such a caller
 * the answer is the first thing that is sent.
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
