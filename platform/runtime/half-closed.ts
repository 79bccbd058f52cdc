import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionEvent } from './connection-event.ts';
import { underWayOn } from './pipelined-requests.ts';

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
export function answerHalfClosed(server: Server): void {
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
