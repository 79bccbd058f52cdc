import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connection.ts';
import { isMigrated } from '../../../db/timescale/migrate.ts';
import { AppError, messageOf } from '../errors.ts';

/**
 * Makes sure that the database is there and has this version's schema, before anything relies on it.
 *
 * @throws AppError naming DATABASE_URL, or saying how to migrate.
 */
export async function requireDatabase(url: string): Promise<void> {
  const client = await connect(url);
  try {
    if (!(await isMigrated(client))) {
      throw new AppError(
        'unavailable',
        `The database at DATABASE_URL (${placeOf(url)}) is not migrated to this version; run npx --no -- tagtrail migrate`,
      );
    }
  } finally {
    await client.end();
  }
}

/** Makes sure that the database is there. @throws AppError naming DATABASE_URL. */
export async function requireReachable(url: string): Promise<void> {
  await (await connect(url)).end();
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(url));
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new AppError(
      'unavailable',
      `The database at DATABASE_URL (${placeOf(url)}) cannot be reached: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** Where a database is, without the credentials. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}
