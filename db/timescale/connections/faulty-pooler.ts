import { randomBytes } from 'node:crypto';
import { Client } from './client.ts';
import { connectionConfig } from './connection.ts';
import { faultOfNotifications, isRefusedStart, PATIENCE, START_PATIENCE } from './direct-connection.ts';
import { createClient } from './pooled-client.ts';
import { serviceConfig } from './service-connections.ts';

/**
 * Finds out what keeps the pooler of an address from being used; null if nothing does. Settings, the role among them, have
 * to hold in a transaction and for a single statement, and the pooler has to lead to the same database as the direct
 * address.
 *
 * @param role an existing role that connections act as.
 * @throws the connection's error if the pooler or the database cannot be reached.
 */
export async function faultOfPooler(address: string, role?: string): Promise<string | null> {
  const own = new Client({ ...connectionConfig(address, 'tagtrail start'), query_timeout: PATIENCE });
  const pooled = createClient({
    ...serviceConfig(address, { max: 1, applicationName: 'tagtrail start' }, role),
    connectionTimeoutMillis: START_PATIENCE,
    query_timeout: PATIENCE,
  });
  try {
    await Promise.all([own, pooled].map((client) => client.connect()));
    const found = [await pooled.query(STATE)];
    await pooled.query('begin');
    found.push(await pooled.query(STATE));
    await pooled.query('commit');
    const isKept = found.every(
      ({ rows: [row] }) => row?.zone === 'UTC' && (role === undefined || row.role === role),
    );
    if (!isKept) {
      return 'it does not keep settings until a transaction ends';
    }
    const deaf = await faultOfNotifications(own, pooled, randomBytes(8).toString('hex'));
    return deaf === null ? null : 'it leads to another database than LISTEN_DATABASE_URL';
  } catch (error) {
    if (isRefusedStart(error)) {
      return `it refuses a statement that tagtrail needs (${error.message})`;
    }
    throw error;
  } finally {
    for (const client of [own, pooled]) {
      client.connection.stream.destroy();
    }
  }
}

const STATE = "select current_user as role, current_setting('timezone') as zone";
