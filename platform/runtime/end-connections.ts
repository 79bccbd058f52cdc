import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connectionEvent } from './connection-event.ts';

/**
 * Once `leaving` aborts, every response closes its connection, including pending ones whose headers were not
 * sent. So no client is about to send on a connection when the server closes it, which is how requests fail.
 */
export function endConnections(server: Server, leaving: AbortSignal): void {
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
