import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { createDatabase } from '../schema/create-database.ts';
import { migrate, requireFinished } from '../schema/migrate.ts';
import {
  appliedOf,
  isBeforeBaseline,
  isFunctions,
  type Migration,
  readMigrations,
} from '../schema/migrations.ts';
import { type BackupHeader, FORMAT, type Piece } from './backup-file.ts';
import { checksum, type TableChecksum } from './checksum.ts';
import { beginCopying, commitCopied, insertRows } from './insert-rows.ts';
import { rowsAsJson } from './rows-as-json.ts';
import { readSequences, setSequences, type Table, tablesInOrder } from './tables.ts';

export interface Restored {
  at: string;
  tables: TableChecksum[];
  hadTimescale: boolean;
  hasTimescale: boolean;
}

/**
 * Restores a backup into an empty database, which is created if missing with owner, locale and schema. One transaction,
 * committed if rows and checksums of every table match the backup.
 *
 * @throws AppError `conflict` if the database has data or the backup is of a newer version; `invalid_input` if it is
 * incomplete.
 */
export async function restore(
  url: string,
  pieces: AsyncIterator<Piece>,
  onProgress: (table: string, rows: number) => void,
): Promise<Restored> {
  const header = await readHeader(pieces);
  const migrations = migrationsOf(header);
  await createDatabase(url);
  await refuseData(url);
  await migrate(url, migrations);
  const client = await connect(url);
  try {
    await beginCopying(client);
    const tables = await restoreTables(client, pieces, onProgress);
    if (isBeforeBaseline(header.migrations)) {
      await requireFinished(client);
    }
    await commitCopied(client);
    const { rows } = await client.query<{ there: boolean }>(
      `select exists (select from pg_extension where extname = 'timescaledb') as there`,
    );
    return {
      at: header.at,
      tables,
      hadTimescale: header.hasTimescale,
      hasTimescale: rows[0]?.there === true,
    };
  } finally {
    await client.end();
  }
}

async function readHeader(pieces: AsyncIterator<Piece>): Promise<BackupHeader> {
  const { value: first } = await pieces.next();
  if (first?.kind !== 'header' || first.header.format !== FORMAT) {
    throw new AppError('invalid_input', 'The file is not a backup of tagtrail that this version can read');
  }
  return first.header;
}

/** The migrations that the backup had; newer ones are applied after the restore, then the functions. */
function migrationsOf({ migrations: applied }: BackupHeader): Migration[] {
  const all = readMigrations();
  const had = appliedOf(all, applied, 'The backup');
  const isNewest = all.every((migration) => isFunctions(migration) || had.includes(migration));
  return isNewest ? all : had.filter((migration) => !isFunctions(migration));
}

/** A schema without organizations has no data; tables of an extension do not count. */
async function refuseData(url: string): Promise<void> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class
       where relkind in ('r', 'p') and relnamespace = to_regnamespace('public') and not exists (
         select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
       )
       order by relname`,
    );
    const names = rows.map(({ name }) => name);
    const isOurs = names.includes('organizations');
    if (isOurs && (await client.query('select from organizations limit 1')).rowCount !== 0) {
      throw notEmpty('has organizations already');
    }
    if (!isOurs && names.length > 0) {
      throw notEmpty(`has other tables (${names.slice(0, 3).join(', ')})`);
    }
  } finally {
    await client.end();
  }
}

function notEmpty(what: string): AppError {
  return new AppError(
    'conflict',
    `The database ${what}; restore into an empty one: name another in its address (without DATABASE_URL, another folder in TAGTRAIL_DATA), or drop this one first`,
  );
}

async function connect(url: string): Promise<pg.Client> {
  const client = new Client(connectionConfig(url, 'tagtrail database restore'));
  await client.connect();
  return client;
}

async function restoreTables(
  client: pg.Client,
  pieces: AsyncIterator<Piece>,
  onProgress: (table: string, rows: number) => void,
): Promise<TableChecksum[]> {
  const tables = new Map((await tablesInOrder(client)).map((table) => [table.name, table]));
  const sums: TableChecksum[] = [];
  let current: Table | undefined;
  let count = 0;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    const piece = next.value;
    switch (piece.kind) {
      case 'table':
        current = tables.get(piece.table);
        count = 0;
        await setSequences(client, piece.sequences);
        break;
      case 'rows':
        await insertRows(client, requireTable(current).identifier, piece.rows);
        count += piece.rows.length;
        onProgress(requireTable(current).name, count);
        break;
      case 'sum':
        sums.push(await requireSame(client, requireTable(current), piece.sum));
        break;
      default:
    }
  }
  return sums;
}

function requireTable(table: Table | undefined): Table {
  if (table === undefined) {
    throw new AppError('conflict', 'The backup has a table that this schema lacks; nothing was restored');
  }
  return table;
}

async function requireSame(client: pg.Client, table: Table, wanted: TableChecksum): Promise<TableChecksum> {
  const found = await checksum(client, table);
  if (wanted.rows !== found.rows || wanted.checksum !== found.checksum) {
    throw new AppError(
      'conflict',
      `${table.name} had ${wanted.rows} rows (${wanted.checksum}) and has ${found.rows} now (${found.checksum}); nothing was restored`,
    );
  }
  return found;
}

/**
 * A whole database as of one instant, while it is used.
 *
 * @param client in a transaction with one snapshot.
 */
export async function* backUp(
  client: pg.ClientBase,
  { onProgress, onSum }: { onProgress(table: string, rows: number): void; onSum(sum: TableChecksum): void },
): AsyncGenerator<Piece> {
  const { rows: facts } = await client.query<{ at: string; migrations: string[]; has_timescale: boolean }>(
    `select to_json(now())#>>'{}' as at, array(select name from schema_migrations order by name) as migrations,
       exists (select from pg_extension where extname = 'timescaledb') as has_timescale`,
  );
  for (const { at, migrations, has_timescale: hasTimescale } of facts) {
    yield { kind: 'header', header: { format: FORMAT, at, migrations, hasTimescale } };
  }
  for (const table of await tablesInOrder(client)) {
    yield { kind: 'table', table: table.name, sequences: await readSequences(client, table) };
    let count = 0;
    for await (const rows of rowsAsJson(client, `select * from ${table.identifier}`)) {
      yield { kind: 'rows', rows };
      count += rows.length;
      onProgress(table.name, count);
    }
    const sum = await checksum(client, table);
    yield { kind: 'sum', sum };
    onSum(sum);
  }
  yield { kind: 'end' };
}
