import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { boundHandshakes } from '../../../platform/runtime/handshakes.ts';
import type { ReadersTls } from './client-certificates.ts';
import { setReadAhead, UNAUTHENTICATED_READ_AHEAD } from './read-ahead.ts';

export interface ReadersServerOptions {
  mostHandshakes: number;
  onRefused(username: string | null, reason: string): void;
}

/** The server of the embedded broker; with TLS it shows sockets whose handshake is over, and whose certificate will do. */
export function serverForReaders(
  tls: ReadersTls | null,
  { mostHandshakes, onRefused }: ReadersServerOptions,
  onSocket: (socket: Socket) => void,
): { server: Server; endHandshakes: () => void } {
  if (tls === null) {
    return { server: createServer(SOCKET_OPTIONS, onSocket), endHandshakes: () => {} };
  }
  // A certificate that will not do is refused here, with its reason; Node.js would only hang up.
  const server = createTlsServer(
    { ...SOCKET_OPTIONS, ...tls.tls.options(), requestCert: tls.areAsked, rejectUnauthorized: false },
    (socket) => {
      if (tls.areRequired && !socket.authorized) {
        const reason = String(socket.authorizationError ?? 'it showed none');
        onRefused(null, `no valid certificate (${reason})`);
        socket.destroy();
        return;
      }
      setReadAhead(socket, UNAUTHENTICATED_READ_AHEAD);
      onSocket(socket);
    },
  );
  tls.tls.follow(server);
  return { server, endHandshakes: boundHandshakes(server, mostHandshakes) };
}

/** TCP keepalive finds dead connections of readers that want no MQTT keepalive. */
const SOCKET_OPTIONS = {
  highWaterMark: UNAUTHENTICATED_READ_AHEAD,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
};
