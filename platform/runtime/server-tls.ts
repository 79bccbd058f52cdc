import type { SecureContextOptions, Server } from 'node:tls';
import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';
import { LogBudget } from './log-budget.ts';
import { requireChain, type TlsMaterial } from './tls-files.ts';

/** Milliseconds for a client's handshake. */
const HANDSHAKE_MS = 10_000;

/** At most one log line per minute and reason; port scanners cause many failures. */
const LINES_A_MINUTE = 1;

/** The certificate of this process's ports. Connections that are open keep the one they began with. */
export class ServerTls {
  #material: TlsMaterial;
  #fault: string | null = null;
  readonly #servers = new Set<Server>();
  readonly #log: Logger;
  readonly #failed = new LogBudget(LINES_A_MINUTE);

  constructor(material: TlsMaterial, log: Logger) {
    this.#material = material;
    this.#log = log;
  }

  /** Milliseconds since 1970. */
  get expiresAt(): number {
    return this.#material.expiresAt;
  }

  /** Options of a server to be made. */
  options(): SecureContextOptions & { handshakeTimeout: number } {
    return { ...this.#context(), handshakeTimeout: HANDSHAKE_MS };
  }

  /** Gives a server each later certificate, and ends connections whose handshake fails. */
  follow(server: Server): void {
    this.#servers.add(server);
    server.once('close', () => this.#servers.delete(server));
    // An HTTP server's own listener would answer as if a request had been wrong.
    server.removeAllListeners('tlsClientError');
    server.on('tlsClientError', (error, socket) => {
      const reason = (error as NodeJS.ErrnoException).code ?? error.message;
      const address = socket.remoteAddress;
      socket.destroy();
      const leftOut = this.#failed.take(reason);
      if (leftOut !== null) {
        this.#log.info({ reason, address, times: leftOut + 1 }, 'TLS handshake failed');
      }
    });
  }

  /** Loads the files; if they are unusable, logs it once and keeps the earlier certificate. */
  reload(read: () => TlsMaterial | null): void {
    try {
      const material = read();
      const isNew = material !== null && !isSame(material, this.#material);
      if (isNew) {
        requireChain(material);
      }
      this.#fault = null;
      if (isNew) {
        this.#material = material;
        for (const server of this.#servers) {
          server.setSecureContext(this.#context());
        }
        this.#log.info({ expires: new Date(material.expiresAt).toISOString() }, 'TLS certificate reloaded');
        warnOfExpired(this.#log, material);
      }
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== this.#fault) {
        this.#fault = reason;
        this.#log.warn({ reason }, 'TLS files cannot be reloaded; the earlier certificate stays in use');
      }
    }
  }

  #context(): SecureContextOptions {
    const { cert, key, ca } = this.#material;
    return { cert, key, minVersion: 'TLSv1.2', ...(ca === null ? {} : { ca }) };
  }
}

/** It is used all the same: clients that do not check continue, others refuse it themselves. */
export function warnOfExpired(log: Logger, { expiresAt }: TlsMaterial): void {
  if (expiresAt <= Date.now()) {
    log.warn({ expired: new Date(expiresAt).toISOString() }, 'TLS certificate has expired');
  }
}

function isSame(one: TlsMaterial, other: TlsMaterial): boolean {
  return one.cert === other.cert && one.key === other.key && one.ca === other.ca;
}
