import { numberCell } from '../../db/timescale/cells/cells.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { startEmbedded } from '../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { type TestDatabase, truncate } from './database.ts';
import { useDataFolders } from './embedded-folder.ts';

export interface TwoCells {
  first: TestDatabase;
  second: TestDatabase;
  /** The server of both, as its superuser. */
  serverUrl: string;
}

/** Two databases of an ordinary user, migrated, numbered and empty, on a server of the suite's own that replicates logically. */
export function useTwoCells(): TwoCells {
  const stops: (() => Promise<unknown>)[] = [];
  // Before its folder is removed, by which it is stopped.
  after(async () => {
    for (const stop of stops) {
      await stop();
    }
  });
  const folders = useDataFolders();
  const cells = {} as TwoCells;
  before(async () => {
    const data = folders.path('cells');
    const first = await startEmbedded({ data, durable: false });
    const administrator = createWritePool(first.url, { max: 1 });
    await administrator.query('alter system set wal_level = logical');
    await administrator.end();
    await first.stop();
    const server = await startEmbedded({ data, durable: false });
    stops.push(() => server.stop());
    await makeOwner(server.url);
    const open = async (name: string, number: number): Promise<TestDatabase> => {
      const url = ownedBy(withDatabase(server.url, name));
      await createDatabase(url);
      await migrate(url);
      await numberCell(url, number);
      const pool = createWritePool(url, { max: 4, applicationName: 'test' });
      stops.unshift(() => pool.end());
      return {
        url,
        pool,
        beforeDrop: (stop) => stops.unshift(stop),
        rows: async (sql, values = []) => (await pool.query(sql, values)).rows,
        empty: (tables) => truncate(pool, tables),
      };
    };
    Object.assign(cells, {
      serverUrl: server.url,
      first: await open('first', 1),
      second: await open('second', 2),
    });
  });
  return cells;
}

const OWNER = 'cells';

/** As the runbook has it. */
async function makeOwner(serverUrl: string): Promise<void> {
  const administrator = createWritePool(serverUrl, { max: 1 });
  await administrator.query(`create role ${OWNER} login createdb createrole replication password 'owner'`);
  await administrator.query(`grant set on parameter session_replication_role to ${OWNER}`);
  await administrator.end();
}

function ownedBy(text: string): string {
  const url = new URL(text);
  url.username = OWNER;
  url.password = 'owner';
  return url.href;
}
