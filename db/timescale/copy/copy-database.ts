import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { createDatabase } from '../schema/create-database.ts';
import { migrate } from '../schema/migrate.ts';
import { checksum, type TableChecksum } from './checksum.ts';
import { beginCopying, commitCopied, insertRows } from './insert-rows.ts';
import { rowsAsJson } from './rows-as-json.ts';
import { readSequences, setSequences, type Table, tablesInOrder } from './tables.ts';

export interface CopyOptions {
  /** Copies although processes are connected to the source; later writes are not copied. */
  isWhileRunning: boolean;
  onProgress?(table: string, rows: number): void;
}

/**
 * Copies a whole database to an empty one: from the embedded one to TimescaleDB, or to another server. The target is
 * created if missing, and migrated. All or nothing: one transaction, committed if rows and checksums of every table
 * agree with the source.
 *
 * @throws AppError `conflict` if the target has data, the source is in use, or the two disagree.
 */
export async function copyDatabase(
  source: string,
  target: string,
  { isWhileRunning, onProgress }: CopyOptions,
): Promise<TableChecksum[]> {
  await createDatabase(target);
  await migrate(target);
  const from = await connect(source);
  const to = await connect(target);
  try {
    await from.query('begin isolation level repeatable read, read only');
    if (!isWhileRunning) {
      await refuseUsers(from);
    }
    await beginCopying(to);
    await refuseData(to);
    const copied: TableChecksum[] = [];
    for (const table of await tablesInOrder(from)) {
      await copyRows(from, to, table, onProgress);
      await setSequences(to, await readSequences(from, table));
      copied.push(await requireSame(from, to, table));
    }
    await commitCopied(to);
    return copied;
  } finally {
    await Promise.all([from.end(), to.end()]);
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new Client(connectionConfig(url, 'tagtrail database copy'));
  await client.connect();
  return client;
}

async function refuseUsers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ names: string[] }>(
    `select array(
       select distinct application_name from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'tagtrail%'
       order by application_name
     ) as names`,
  );
  const names = rows[0]?.names ?? [];
  if (names.length > 0) {
    throw new AppError(
      'conflict',
      `The database is in use (${names.join(', ')}). Stop those processes first, because their later records are not copied; or copy with --while-running`,
    );
  }
}

async function refuseData(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from organizations limit 1');
  if (rowCount !== 0) {
    throw new AppError('conflict', 'The database at --to has organizations already; name an empty one');
  }
}

async function copyRows(
  from: pg.Client,
  to: pg.Client,
  { name, identifier }: Table,
  onProgress: CopyOptions['onProgress'],
): Promise<void> {
  let count = 0;
  for await (const rows of rowsAsJson(from, `select * from ${identifier}`)) {
    await insertRows(to, identifier, rows);
    count += rows.length;
    onProgress?.(name, count);
  }
}

async function requireSame(from: pg.Client, to: pg.Client, table: Table): Promise<TableChecksum> {
  const [wanted, found] = await Promise.all([checksum(from, table), checksum(to, table)]);
  if (wanted.rows !== found.rows || wanted.checksum !== found.checksum) {
    throw new AppError(
      'conflict',
      `${table.name} has ${wanted.rows} rows (${wanted.checksum}) and its copy ${found.rows} (${found.checksum}); nothing was copied`,
    );
  }
  return wanted;
}
