import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { serverUrl, type TestDatabase, truncate } from '../support/database.ts';
import { type CrashingServer, startCrashingEmbedded, startCrashingTimescale } from './crashing-server.ts';

export interface CrashingDatabase extends TestDatabase {
  /** Crashes the server and starts it again. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** @param isTimescale whether the server is TimescaleDB, or else the embedded one. */
export async function createCrashingDatabase(isTimescale: boolean): Promise<CrashingDatabase> {
  const server: CrashingServer = isTimescale ? await startCrashingTimescale() : await startCrashingEmbedded();
  const url = withDatabase(server.url, 'chaos');
  await createDatabase(url);
  await migrate(url);
  const pool = createWritePool(url, { max: 4, applicationName: 'test' });
  const stops: (() => Promise<unknown>)[] = [];
  return {
    url,
    pool,
    rows: async (sql, values = []) => (await pool.query(sql, values)).rows,
    empty: (tables) => truncate(pool, tables),
    beforeDrop: (stop) => stops.unshift(stop),
    restart: () => server.restart(),
    remove: async () => {
      for (const stop of stops) {
        await stop();
      }
      await pool.end();
      await server.remove();
    },
  };
}

/** For the calling suite: of the kind of server that the run is on. */
export function useCrashingDatabase(): () => CrashingDatabase {
  let database: CrashingDatabase | undefined;
  before(async () => {
    database = await createCrashingDatabase(await hasTimescale(serverUrl()));
  });
  after(() => database?.remove());
  return () => database as CrashingDatabase;
}

/** Whether the server at `url` is one with TimescaleDB. */
export async function hasTimescale(url: string): Promise<boolean> {
  const client = new pg.Client(connectionConfig(withDatabase(url, 'postgres'), 'test'));
  await client.connect();
  const { rowCount } = await client.query(`select from pg_available_extensions where name = 'timescaledb'`);
  await client.end();
  return rowCount === 1;
}
