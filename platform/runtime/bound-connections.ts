import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BoundedSockets, groupOfAddress } from './bounded-sockets.ts';
import { connectionEvent } from './connection-event.ts';

/**
 * Bounds a server's connections but always admits new ones: when full, it closes the longest idle connection
 * of the address with most. Idle means that the server waits for the client: between requests, while headers
 * or a body come in, and while a response is not read. Requests being handled are never cut off, so slow
 * senders and readers cannot keep others out.
 */
export function boundConnections(server: Server, most: number): void {
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
}
