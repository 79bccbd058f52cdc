import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate, readMigrations } from '../../db/timescale/schema/migrate.ts';
import { serverUrl } from './database.ts';

export interface EarlierDatabase {
  url: string;
  client: pg.Client;
  /** Applies the migration that it lacks first, and not those after it. */
  migrateOnce(): Promise<unknown>;
  /** Applies all the others. */
  migrateOn(): Promise<unknown>;
}

/** A database of the calling suite's own, as it is before the migration whose name begins so, and without rows. */
export function useEarlierDatabase(migration: string): EarlierDatabase {
  const migrations = readMigrations();
  const at = migrations.findIndex(({ name }) => name.startsWith(migration));
  const earlier = {
    migrateOnce: () => migrate(earlier.url, migrations.slice(0, at + 1)),
    migrateOn: () => migrate(earlier.url, migrations),
  } as EarlierDatabase;
  let name: string;
  before(async () => {
    name = `earlier_${randomBytes(6).toString('hex')}`;
    earlier.url = withDatabase(serverUrl(), name);
    await createDatabase(earlier.url);
    await migrate(earlier.url, migrations.slice(0, at));
    earlier.client = new pg.Client(connectionConfig(earlier.url, 'test'));
    await earlier.client.connect();
  });
  after(async () => {
    await earlier.client?.end();
    const server = new pg.Client(connectionConfig(serverUrl(), 'test'));
    await server.connect();
    await server.query(`drop database if exists ${name} with (force)`);
    await server.end();
  });
  return earlier;
}
