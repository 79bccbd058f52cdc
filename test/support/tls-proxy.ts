import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { certificate } from './certificates.ts';
import type { Target } from './link.ts';

export interface TlsProxy {
  port: number;
  /** Connections that came to speak in secret, one after the other. */
  secret: TLSSocket[];
  /** Of `test/fixtures/mqtt-tls`, from the next connection on. */
  certificate: string;
  close(): Promise<void>;
}

/**
 * A server of somebody else that speaks TLS: in front of one that does not.
 *
 * @param isPostgres waits until it is asked for TLS, as PostgreSQL does, and passes on who does not.
 */
export async function openTlsProxy(target: Target, isPostgres: boolean): Promise<TlsProxy> {
  const sockets = new Set<Socket>();
  const pass = (near: Socket) => {
    const far = connect(target.port, target.host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    pipeline(near, far, near).catch(() => {
      near.destroy();
      far.destroy();
    });
  };
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    const secure = () => {
      const { certificate: name } = proxy;
      const [cert, key] = [certificate(`${name}.crt`), certificate(`${name}.key`)];
      const tls = new TLSSocket(socket, { isServer: true, cert, key });
      proxy.secret.push(tls);
      pass(tls);
    };
    if (!isPostgres) {
      secure();
      return;
    }
    socket.once('data', (bytes) => {
      if (bytes.equals(SSL_REQUEST)) {
        socket.write('S');
        secure();
      } else {
        socket.unshift(bytes);
        pass(socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TlsProxy = {
    port: (server.address() as AddressInfo).port,
    secret: [],
    certificate: 'broker',
    close: async () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
      await once(server, 'close');
    },
  };
  return proxy;
}

/** Its length, and what PostgreSQL takes for a version of its protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
