import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { eraseOrganization } from '../../domain/administration/organizations/erase-organization.ts';
import { deleteOrganization } from '../../domain/administration/organizations/organizations.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { openDatabaseServer } from './database-server.ts';
import { interleaved } from './interleaved.ts';
import { fill } from './rows/seed.ts';

/**
 * How long `org erase` takes: `node test/bench/erase.ts 3 1e5 1e6`, so many times organizations of so many rows, in turns,
 * after one that does not count. A ninth of the rows are assets; each has a tag, a position, and three scans that moved it.
 */
const [rounds = 3, ...sizes] = process.argv.slice(2).map(Number);

interface Erased {
  rows: number;
  seconds: number;
}

async function erase(serverUrl: string, rows: number): Promise<Erased> {
  const assets = Math.round(rows / 9);
  const filled = await fill(serverUrl, { assets, scans: 3 * assets });
  const pool = createWritePool(filled.url, { max: 4 });
  await deleteOrganization(databaseOn(pool), TEST_ACTOR, filled.orgId);
  const since = performance.now();
  const tables = await eraseOrganization(
    pool,
    TEST_ACTOR,
    { orgId: filled.orgId, name: 'Bench', leavesPublished: false },
    { signal: new AbortController().signal, onProgress: () => {} },
  );
  const seconds = (performance.now() - since) / 1_000;
  await pool.end();
  await filled.drop();
  return { rows: tables.reduce((sum, { deleted }) => sum + deleted, 0), seconds };
}

const server = await openDatabaseServer();
try {
  const measurements = sizes.map((size): [string, () => Promise<Erased>] => [
    String(size),
    () => erase(server.url, size),
  ]);
  const results = await interleaved(rounds, Object.fromEntries(measurements));
  for (const erased of Object.values(results)) {
    const seconds = show(spreadOf(erased.map((each) => each.seconds)), 1);
    console.log(`${erased[0]?.rows} rows erased in ${seconds} s, ${rounds} rounds`);
  }
} finally {
  await server.close();
}
