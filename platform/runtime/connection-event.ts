import type { Server } from 'node:http';

/** The event of a connection that can be read: with TLS it comes after the handshake. */
export function connectionEvent(server: Server): string {
  return 'setSecureContext' in server ? 'secureConnection' : 'connection';
}
