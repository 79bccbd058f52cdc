import pg from 'pg';
import { ADVISORY_LOCKS } from '../../db/timescale/advisory-locks.ts';
import { connectionConfig } from '../../db/timescale/connection.ts';
import { createDatabase, withDatabase } from '../../db/timescale/create-database.ts';
import { startEmbedded } from '../../db/timescale/embedded.ts';
import { migrate } from '../../db/timescale/migrate.ts';
import { AppError } from '../shared/errors.ts';
import type { Lifecycle } from '../shared/runtime/lifecycle.ts';

export interface EmbeddedOptions {
  data: string;
  durable: boolean;
}

/**
 * Starts the embedded database in the data folder, or joins who uses it there, and migrates it. It is stopped last, when
 * nothing needs it any more, and by the last process that uses it.
 *
 * @returns its address.
 * @throws AppError `unavailable` if it cannot be started, or if another process runs on the same folder.
 */
export async function startEmbeddedDatabase(
  { data, durable }: EmbeddedOptions,
  lifecycle: Lifecycle,
): Promise<string> {
  const server = await lifecycle.start(
    'embedded database',
    () => startEmbedded({ data, durable }),
    ({ stop }) => stop(),
  );
  const url = withDatabase(server.url, EMBEDDED_DATABASE);
  await createDatabase(url);
  await lifecycle.start(
    'data folder',
    () => occupy(url, data),
    (client) => client.end(),
  );
  await migrate(url);
  return url;
}

/** The name of the embedded server's one database. */
export const EMBEDDED_DATABASE = 'tagtrail';

/** Holds a lock for as long as this process lives, so that no second one runs on the same data. */
async function occupy(url: string, data: string): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(url, 'tagtrail'));
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ is_free: boolean }>('select pg_try_advisory_lock($1) as is_free', [
    ADVISORY_LOCKS.occupation,
  ]);
  if (rows[0]?.is_free !== true) {
    await client.end();
    throw new AppError(
      'unavailable',
      `tagtrail is already running on TAGTRAIL_DATA ${data}; stop it, or set TAGTRAIL_DATA to another folder`,
    );
  }
  return client;
}
