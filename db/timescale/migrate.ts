import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { AppError } from '../../services/shared/errors.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { connectionConfig } from './connection.ts';

export interface Migration {
  /** The file's name without `.sql`: the number and what it makes. */
  name: string;
  sql: string;
}

export interface MigrationResult {
  applied: string[];
  current: string;
}

/** The migrations of this version, in order. */
export function readMigrations(): Migration[] {
  const folder = new URL('migrations/', import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), sql: readFileSync(new URL(file, folder), 'utf8') }));
}

/**
 * Brings the database to the newest schema, forward only. Any number of processes may do so at once: one works, the
 * others wait and find nothing left to do. Each migration and its ledger row commit together.
 *
 * @throws AppError `conflict` if the database was migrated by a newer version than this one.
 */
export function migrate(url: string, migrations = readMigrations()): Promise<MigrationResult> {
  return migrateUnless(url, migrations, () => false);
}

/**
 * Migrates a database that is new. One of an earlier version is left as it is: there is no way back from a migration, so
 * it takes somebody who means it.
 *
 * @throws AppError `unavailable` if it is of an earlier version; `conflict` as {@link migrate}.
 */
export async function migrateNew(url: string, migrations = readMigrations()): Promise<void> {
  const isOlder = (pending: Migration[]) => pending.length > 0 && pending.length < migrations.length;
  await migrateUnless(url, migrations, isOlder);
}

async function migrateUnless(
  url: string,
  migrations: Migration[],
  isRefused: (pending: Migration[]) => boolean,
): Promise<MigrationResult> {
  const client = new pg.Client(connectionConfig(url, 'tagtrail migrate'));
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    await client.query('set client_min_messages = warning');
    await createTimescaleIfAvailable(client);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const pending = await pendingMigrations(client, migrations);
    if (isRefused(pending)) {
      throw new AppError(
        'unavailable',
        'The database is of an earlier version of tagtrail; back it up, then migrate it: npm start, or npx --no -- tagtrail migrate',
      );
    }
    for (const migration of pending) {
      await apply(client, migration);
    }
    return { applied: pending.map(({ name }) => name), current: migrations.at(-1)?.name ?? '' };
  } finally {
    await client.end();
  }
}

/** Whether the database has every migration of this version and no other. */
export async function isMigrated(client: pg.ClientBase, migrations = readMigrations()): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('schema_migrations') is not null as present`,
  );
  return rows[0]?.present === true && (await pendingMigrations(client, migrations)).length === 0;
}

/** The extension must exist before the migrations that make hypertables, and can only be made where it is preloaded. */
async function createTimescaleIfAvailable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ preloaded: boolean }>(
    `select current_setting('shared_preload_libraries') ~ '\\ytimescaledb\\y' as preloaded
     from pg_available_extensions where name = 'timescaledb' and installed_version is null`,
  );
  if (rows[0]?.preloaded === true) {
    await client.query('create extension if not exists timescaledb');
  }
}

async function pendingMigrations(client: pg.ClientBase, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  const known = new Set(migrations.map(({ name }) => name));
  const strange = rows.find(({ name }) => !known.has(name));
  if (strange !== undefined) {
    throw new AppError(
      'conflict',
      `The database has migration ${strange.name}, which this version does not know. Run the version that made it, or a newer one.`,
    );
  }
  const applied = new Set(rows.map(({ name }) => name));
  return migrations.filter(({ name }) => !applied.has(name));
}

async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query('insert into schema_migrations (name) values ($1)', [name]);
    await client.query(sql);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
