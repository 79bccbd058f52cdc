import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { startEmbedded } from '../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { EMBEDDED_DATABASE } from '../../services/standalone/database.ts';
import { runCommand } from './command-line.ts';
import { type TestDatabase, truncate } from './database.ts';

/** A folder for data folders (`TAGTRAIL_DATA`) of embedded databases; removed after the suite's last test. */
export function useDataFolders(): { path(name: string): string } {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-data-'));
  chmodSync(folder, 0o711);
  after(() => rmSync(folder, { recursive: true, force: true }));
  return { path: (name) => join(folder, name) };
}

export async function onEmbedded(
  data: string,
  work: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  const server = await startEmbedded({ data, durable: true });
  const url = withDatabase(server.url, EMBEDDED_DATABASE);
  await createDatabase(url);
  await migrate(url);
  const pool = createWritePool(url, { max: 4, applicationName: 'test' });
  const stops: (() => Promise<unknown>)[] = [];
  try {
    await work({
      url,
      pool,
      beforeDrop: (stop) => stops.unshift(stop),
      rows: async (sql, values = []) => (await pool.query(sql, values)).rows,
      empty: (tables) => truncate(pool, tables),
    });
  } finally {
    for (const stop of stops) {
      await stop();
    }
    await pool.end();
    await server.stop();
  }
}

export async function jsonOn(data: string, ...args: string[]) {
  const { status, stdout, stderr } = await runCommand([...args, '--json'], { TAGTRAIL_DATA: data });
  expect(status, stderr).to.equal(0);
  return JSON.parse(stdout);
}

/** As `cp -a` copies, owners included. */
export function copyFolder(from: string, to: string): void {
  expect(spawnSync('cp', ['-a', from, to]).status).to.equal(0);
}
