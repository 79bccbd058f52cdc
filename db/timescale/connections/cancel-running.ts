import pg from 'pg';

/** What identifies a connection to the server, which `pg` keeps but does not declare. */
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

/** Milliseconds after which a request to cancel is given up; the statement's time limit ends it then. */
const PATIENCE = 2_000;

/**
 * Asks the server to cancel what runs on a connection, and waits until it was told: whoever then uses the connection
 * for something else must not be hit. The request goes by a connection of its own, as the protocol wants it
 * (PostgreSQL documentation, "Canceling Requests in Progress"); `pg_cancel_backend` is not for the role that queries run as.
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
