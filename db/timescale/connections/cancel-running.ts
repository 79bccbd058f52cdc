import pg from 'pg';
import type { Pool } from './client.ts';

interface Identified {
  host: string;
  port: number;
  processID: number;
  secretKey: number;
}

interface Cancelling extends pg.Connection {
  connect(portOrSocket: number | string, host?: string): void;
  cancel(processId: number, secretKey: number): void;
}

const Connection = pg.Connection as unknown as new (config: object) => Cancelling;

/** Milliseconds to request a cancellation; afterwards the statement's time limit ends it. */
const PATIENCE = 2_000;

/**
 * Cancels the running statement and waits until the server has received the request, so that the cancellation
 * cannot hit the connection's next user. It goes over a connection of its own, as the protocol demands
 * (PostgreSQL documentation, "Canceling Requests in Progress"); the role that queries run as may not call
 * `pg_cancel_backend`.
 */
export function cancelRunning(client: pg.ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Identified;
  return new Promise((resolve) => {
    const connection = new Connection({ ssl: false });
    const timer = setTimeout(() => connection.stream.destroy(), PATIENCE);
    connection.on('error', () => {});
    connection.stream.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    connection.on('connect', () => connection.cancel(processID, secretKey));
    if (host.startsWith('/')) {
      connection.connect(`${host}/.s.PGSQL.${port}`);
    } else {
      connection.connect(port, host);
    }
  });
}

/** From now on cancels, on demand, all statements on connections of a pool, as {@link cancelRunning} does. */
export function cancelsAllRunning(pool: Pool): () => Promise<unknown> {
  const taken = new Set<pg.ClientBase>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  return () => Promise.all([...taken].map((client) => cancelRunning(client)));
}
