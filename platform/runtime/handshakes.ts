import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { BoundedSockets, groupOfAddress } from './bounded-sockets.ts';

/**
 * Bounds connections during their handshake, which the server does not show to the other bounds.
 *
 * @returns a function that closes them.
 */
export function boundHandshakes(server: Server, most: number): () => void {
  const sockets = new BoundedSockets(most);
  const open = new Map<string, Socket>();
  server.prependListener('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    open.set(peer, socket);
    sockets.add(socket, groupOfAddress(socket.remoteAddress));
    socket.once('close', () => open.get(peer) === socket && open.delete(peer));
  });
  server.prependListener('secureConnection', (secure) => {
    const peer = peerOf(secure);
    const socket = open.get(peer);
    if (socket !== undefined) {
      open.delete(peer);
      sockets.remove(socket);
    }
  });
  return () => {
    for (const socket of open.values()) {
      socket.destroy();
    }
  };
}

/** For TCP and for TLS above it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
