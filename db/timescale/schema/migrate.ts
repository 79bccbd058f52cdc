import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { START, TAGTRAIL } from '../../../base/typed-command.ts';
import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import { pidOf, watchBlockers } from '../connections/blockers.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { whileElected } from '../connections/elected.ts';
import { sqlStateOf } from '../connections/sql-state.ts';
import {
  appliedOf,
  BASELINE,
  isBeforeBaseline,
  isFunctions,
  LAST_COMMIT,
  type Migration,
  newestOf,
  readMigrations,
} from './migrations.ts';
import { requireFit } from './require-fit.ts';
import { requireServerVersion } from './server-version.ts';

export interface MigrationResult {
  applied: string[];
  current: string;
}

export interface Migrating {
  /** Aborting stops before the next migration, or while waiting for others. */
  signal?: AbortSignal | undefined;
  say?: ((what: string) => void) | undefined;
  /** Milliseconds between progress messages. */
  every?: number;
}

/**
 * Brings the database to the newest schema, forward only. Any number of processes may call it at once: one
 * works, the others wait and find nothing left to do. Each migration commits together with its ledger row.
 *
 * @throws AppError `conflict` if a newer version migrated the database, or one that is too old; `forbidden` if another user owns its tables;
 * `misconfigured` if the server is too old or the database made otherwise; `unavailable` if aborted.
 */
export function migrate(
  url: string,
  migrations = readMigrations(),
  migrating: Migrating = {},
): Promise<MigrationResult> {
  return migrateIf(url, migrations, () => true, migrating);
}

/**
 * Migrates a new database only. A migration cannot be undone, so a database of another version is left unchanged until
 * somebody decides.
 *
 * @throws AppError `unavailable` if it is of another version; `conflict` as {@link migrate}.
 */
export async function migrateNew(url: string, migrations = readMigrations()): Promise<void> {
  await migrateIf(url, migrations, (names) => names.length === 0);
}

/** @param isWanted is given the ledger of a database that has something to migrate. */
async function migrateIf(
  url: string,
  migrations: Migration[],
  isWanted: (names: readonly string[]) => boolean,
  migrating: Migrating = {},
): Promise<MigrationResult> {
  const { signal, say } = migrating;
  const onWaiting = (who: string) => say?.(`Another process migrates the database: ${who}; waiting for it`);
  const election = { name: 'tagtrail migrate', signal, onWaiting, every: EVERY };
  const result = await whileElected(url, ADVISORY_LOCKS.migration, election, async ({ client }) => {
    await requireServerVersion(client);
    // Users who may not migrate can ask this, too.
    if (await isMigrated(client, migrations)) {
      return { applied: [], current: newestOf(migrations) };
    }
    await requireOwner(client);
    await requireFit(client);
    await client.query('set client_min_messages = warning');
    await createTimescaleIfAvailable(client);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const names = await readLedger(client);
    if (!isWanted(names)) {
      throw new AppError(
        'unavailable',
        `The database is not migrated to this version of tagtrail; back it up, then migrate it: ${START}, or ${TAGTRAIL} migrate`,
      );
    }
    const pending = pendingOf(migrations, names);
    if (isBeforeBaseline(names)) {
      await takeOver(client);
    }
    for (const [index, migration] of pending.entries()) {
      const step = `${migration.name} (${index + 1} of ${pending.length})`;
      const unwatch = watchBlockers(url, pidOf(client), (who) => say?.(`${step} waits for ${who}`));
      try {
        await sayingHowLong(step, migrating, () => applyInTurn(client, migration, signal));
      } finally {
        await unwatch();
      }
    }
    return { applied: pending.map(({ name }) => name), current: newestOf(migrations) };
  });
  return result ?? Promise.reject(interrupted());
}

/** Milliseconds between attempts to migrate. */
const EVERY = 100;

/** True if exactly this version's migrations are applied. */
export async function isMigrated(client: pg.ClientBase, migrations = readMigrations()): Promise<boolean> {
  return (await isPresent(client)) && pendingOf(migrations, await readLedger(client)).length === 0;
}

/** True if another version migrated it, and there is more to migrate. @throws AppError `conflict` if a newer one did. */
export async function isOfEarlier(url: string): Promise<boolean> {
  const client = new Client(connectionConfig(url, 'tagtrail migrate'));
  await client.connect();
  try {
    return (await isPresent(client)) && !(await isMigrated(client));
  } finally {
    await client.end();
  }
}

async function isPresent(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('schema_migrations') is not null as present`,
  );
  return rows[0]?.present === true;
}

async function readLedger(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

function pendingOf(migrations: readonly Migration[], names: readonly string[]): Migration[] {
  const applied = new Set(appliedOf(migrations, names, 'The database'));
  return migrations.filter((migration) => !applied.has(migration));
}

async function requireOwner(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ user_name: string; owner: string }>(
    `select current_user as user_name, relowner::regrole::text as owner from pg_class
     where oid = to_regclass('schema_migrations') and not pg_has_role(relowner, 'usage')`,
  );
  const [other] = rows;
  if (other !== undefined) {
    throw new AppError(
      'forbidden',
      `The database is not migrated to this version, and ${other.user_name} cannot migrate it, because ${other.owner} owns the tables; set MIGRATE_DATABASE_URL to the address with that user`,
    );
  }
}

/**
 * The extension must exist before migrations that make hypertables, and can be created only if it is preloaded. A
 * setting of its loader shows that: only a superuser may read `shared_preload_libraries`.
 */
async function createTimescaleIfAvailable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ preloaded: boolean }>(
    `select current_setting('timescaledb.max_background_workers', true) is not null as preloaded
     from pg_available_extensions where name = 'timescaledb' and installed_version is null`,
  );
  if (rows[0]?.preloaded === true) {
    await client.query('create extension if not exists timescaledb').catch((error) => {
      throw sqlStateOf(error) === INSUFFICIENT_PRIVILEGE
        ? new AppError(
            'forbidden',
            'The server has TimescaleDB, the database does not, and this user may not add it. As a superuser, in that database: create extension timescaledb;',
            { cause: error },
          )
        : error;
    });
  }
}

/**
 * A database at the last migration before the baseline has the same tables, so it gets the baseline's name in the
 * ledger. Whatever that version still had to do after its migrations must be done first: this version cannot do it.
 */
async function takeOver(client: pg.ClientBase): Promise<void> {
  await requireFinished(client);
  await client.query('begin');
  await client.query('delete from schema_migrations where name < $1', [BASELINE]);
  await client.query('insert into schema_migrations (name) values ($1)', [BASELINE]);
  await client.query('commit');
}

/** @throws AppError `conflict` if a version before the baseline has not finished its work after the migrations. */
export async function requireFinished(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ left: boolean }>(
    `select exists (select from positions where not is_in_feed)
       or exists (select from move_heads where complete_since is null)
       or exists (select from history_recomputations where finished_at is null) as left`,
  );
  if (rows[0]?.left === true) {
    throw new AppError(
      'conflict',
      `The version that made this database has not put all histories into the move feed, or not recomputed them yet: let it finish (${TAGTRAIL} migrate, of commit ${LAST_COMMIT}), then use this version.`,
    );
  }
}

/** A migration that would block others behind the locks it waits for gives way and retries. */
async function applyInTurn(
  client: pg.Client,
  migration: Migration,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (signal?.aborted !== true) {
    try {
      return await apply(client, migration);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && LOCK_FAILURES.has(error.code ?? ''))) {
        throw error;
      }
    }
    await pause(AGAIN);
  }
  throw interrupted();
}

async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_PATIENCE}`);
    if (isFunctions({ name })) {
      await client.query(`delete from schema_migrations where name like 'functions-%'`);
    }
    await client.query('insert into schema_migrations (name) values ($1)', [name]);
    await client.query(sql);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function sayingHowLong(
  step: string,
  { say, every = SAY_EVERY }: Migrating,
  work: () => Promise<void>,
): Promise<void> {
  const since = performance.now();
  const timer = setInterval(
    () => say?.(`${step} has been running for ${Math.round((performance.now() - since) / 1_000)} s so far`),
    every,
  );
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

function interrupted(): AppError {
  return new AppError('unavailable', 'Interrupted; run it again to continue');
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** `lock_not_available`, `deadlock_detected`. */
const LOCK_FAILURES = new Set(['55P03', '40P01']);

/** Milliseconds it waits for a lock while others queue behind it; then it gives way. */
const LOCK_PATIENCE = 2_000;
const AGAIN = 1_000;

const SAY_EVERY = 5_000;
