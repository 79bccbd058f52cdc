import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Client } from './client.ts';
import { connectionConfig, sessionSettings } from './connection.ts';
import { asOptions } from './session-settings.ts';

/** Milliseconds to connect at start, when the database and all services of a machine may be starting, and code is loaded meanwhile. */
export const START_PATIENCE = 30_000;

/** Milliseconds for an answer. */
export const PATIENCE = 5_000;

/** Milliseconds for a notification to come back; the second time for a machine that stands still, as when all services start. */
const NOTIFICATION_PATIENCE = [1_000, 4_000];

/**
 * Detects a connection pooler on the direct way to the database; null if connections lead to PostgreSQL itself. Behind
 * one that ignores start-up options a process would act as the owner of the tables, who sees every
 * organization; behind one that lends connections per transaction (PgBouncer in any mode but session pooling)
 * settings, locks and prepared statements leak to others, and notifications get lost.
 *
 * @param role an existing role that connections act as.
 * @throws the connection's error if the database cannot be reached.
 */
export async function faultOfConnections(url: string, role?: string): Promise<string | null> {
  const mark = randomBytes(8).toString('hex');
  const options = asOptions({ ...sessionSettings(role), 'tagtrail.start': mark });
  const [own, other] = [0, 1].map(
    () =>
      new Client({
        ...connectionConfig(url, 'tagtrail start'),
        options,
        connectionTimeoutMillis: START_PATIENCE,
        query_timeout: PATIENCE,
      }),
  ) as [Client, Client];
  try {
    await Promise.all([own, other].map((client) => client.connect()));
    return (
      (await faultOfOptions(own, mark, role)) ??
      (await faultOfSession(own, other, mark)) ??
      (await faultOfNotifications(own, other, mark))
    );
  } catch (error) {
    if (isRefusedStart(error)) {
      return `it refuses start-up options (${error.message})`;
    }
    throw error;
  } finally {
    for (const client of [own, other]) {
      client.connection.stream.destroy();
    }
  }
}

export async function faultOfOptions(client: pg.Client, mark: string, role?: string): Promise<string | null> {
  const { rows } = await client.query<{ role: string; mark: string | null }>(
    "select current_user as role, current_setting('tagtrail.start', true) as mark",
  );
  const [found] = rows;
  return found?.mark === mark && (role === undefined || found.role === role)
    ? null
    : `it ignores start-up options, so queries would run as ${found?.role}, past the separation of organizations`;
}

/**
 * Runs while another connection is in a transaction, on whichever of the pooler's connections is free then.
 */
export async function faultOfSession(own: pg.Client, other: pg.Client, mark: string): Promise<string | null> {
  await own.query("select set_config('tagtrail.session', $1, false)", [mark]);
  await other.query('begin');
  await other.query('select 1');
  const isKept = await own
    .query<{ mark: string | null }>("select current_setting('tagtrail.session', true) as mark")
    .then(({ rows }) => rows[0]?.mark === mark)
    // The pooler had no free connection.
    .catch(() => false);
  await other.query('rollback');
  return isKept ? null : 'it does not keep the settings of a session from one transaction to the next';
}

export async function faultOfNotifications(
  own: pg.Client,
  other: Pick<pg.Client, 'query'>,
  mark: string,
): Promise<string | null> {
  const channel = `tagtrail_start_${mark}`;
  const heard = Promise.withResolvers<true>();
  own.on('notification', () => heard.resolve(true));
  for (const patience of NOTIFICATION_PATIENCE) {
    await own.query(`listen ${channel}`);
    await other.query(`notify ${channel}`);
    const deaf = Promise.withResolvers<false>();
    const timer = setTimeout(() => deaf.resolve(false), patience);
    const isHeard = await Promise.race([heard.promise, deaf.promise]);
    clearTimeout(timer);
    if (isHeard) {
      return null;
    }
  }
  return 'notifications do not come back through it';
}

/**
 * `protocol_violation`: PgBouncer's answer to a start-up parameter that it neither knows nor is configured to
 * ignore.
 */
export function isRefusedStart(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '08P01';
}
