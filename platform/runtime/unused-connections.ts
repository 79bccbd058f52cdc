import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionEvent } from './connection-event.ts';

/**
 * Node.js does not count as idle, and so would wait at shutdown for, connections on which nothing was ever sent, as
 * browsers open to have one ready, and those that were answered and closed on this side while the client neither reads
 * nor closes its own.
 *
 * @returns closes them.
 */
export function unusedConnections(server: Server): () => void {
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
