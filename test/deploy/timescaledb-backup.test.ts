import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { commandLineOn } from '../support/command-line.ts';
import { truncate, useDatabase } from '../support/database.ts';
import { jsonOn, onEmbedded, useDataFolders } from '../support/embedded-folder.ts';
import { expectedRows, fillDatabase } from '../support/filled-database.ts';
import { openIntake } from '../support/intake.ts';
import { itByNight } from '../support/random-sets.ts';
import { PROJECT } from './folder.ts';

// There is nothing to be tried without TimescaleDB, and no programs of its version.
if (process.env['TEST_REQUIRE_TIMESCALEDB'] === '1') {
  describe('a backup of TimescaleDB', () => {
    const database = useDatabase();
    const another = `ci-${process.pid}`;
    let restored: string;
    after(() => void timescaledb(['stop', another]));

    itByNight('is restored on another server with all that it held, and goes on from there', async () => {
      await fillDatabase(database);
      const { json } = commandLineOn(() => database);
      const before = await json('database', 'checksums');
      for (const [table, rows] of Object.entries(expectedRows(before))) {
        expect(rows, table).to.be.above(0);
      }
      const folder = mkdtempSync(join(tmpdir(), 'tagtrail-backup-'));
      const file = join(folder, 'tagtrail.backup');
      await json('database', 'backup', '--file', file);

      restored = withDatabase(timescaledb(['start', another]).toString().trim(), 'restored');
      const onRestored = commandLineOn(() => ({ url: restored }));
      const { had_timescale: had, has_timescale: has } = await onRestored.json(
        'database',
        'restore',
        '--file',
        file,
      );
      rmSync(folder, { recursive: true });
      expect({ had, has }).to.deep.equal({ had: true, has: true });
      expect(await onRestored.json('database', 'checksums')).to.deep.equal(before);
      expect(await chunksOf(restored)).to.deep.equal(await chunksOf(database.url));
      expect(await onRestored.json('migrate')).to.deep.include({ applied: [] });
    });

    itByNight('takes new scans after that', async () => {
      const pool = createWritePool(restored, { max: 4, applicationName: 'test' });
      const rows = async (sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows;
      const stops: (() => Promise<unknown>)[] = [];
      const intake = await openIntake({
        url: restored,
        pool,
        rows,
        empty: (tables) => truncate(pool, tables),
        beforeDrop: (stop) => stops.unshift(stop),
      });
      const { counts } = await intake.receive('portal', '{"value":"E280","antenna":1}');
      expect(counts).to.deep.include({ recorded: 1 });
      for (const stop of stops) {
        await stop();
      }
      await pool.end();
    });
  });

  describe('the move from the embedded database to TimescaleDB', () => {
    const folders = useDataFolders();
    const database = useDatabase();

    it('takes everything along, into hypertables', async () => {
      const data = folders.path('data');
      await onEmbedded(data, fillDatabase);
      const before = await jsonOn(data, 'database', 'checksums');
      const target = `${database.url}_moved`;
      const { copied } = await jsonOn(data, 'database', 'copy', '--to', target);
      expect(copied).to.deep.equal(before);
      const { json } = commandLineOn(() => ({ url: target }));
      expect(await json('database', 'checksums')).to.deep.equal(before);
      const chunks = await chunksOf(target);
      expect(chunks['scan_events']).to.be.at.least(20);
      expect(chunks['location_transitions']).to.be.at.least(1);
      psql(database.url, `drop database "${new URL(target).pathname.slice(1)}" with (force)`);
    });
  });
}

/** How many chunks the hypertables have that have any. */
async function chunksOf(url: string): Promise<Record<string, number>> {
  const pool = createWritePool(url, { max: 1, applicationName: 'test' });
  const { rows } = await pool.query<{ name: string; chunks: number }>(
    `select hypertable_name as name, count(*)::integer as chunks from timescaledb_information.chunks group by 1`,
  );
  await pool.end();
  return Object.fromEntries(rows.map(({ name, chunks }) => [name, chunks]));
}

function psql(url: string, statement: string): void {
  program(['psql', '--quiet', '--set=ON_ERROR_STOP=1', `--dbname=${url}`, `--command=${statement}`]);
}

/** What a program of the server's version writes to standard output. */
function program(command: string[]): Buffer {
  return timescaledb(['run', ...command]);
}

function timescaledb(args: string[]): Buffer {
  const ran = spawnSync(`${PROJECT}.ci/timescaledb`, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(ran.status, ran.stderr.toString()).to.equal(0);
  return ran.stdout;
}
