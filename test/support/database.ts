import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isDecided } from '../../.ci/on-timescaledb.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';

export const SERVER_URL = 'TEST_DATABASE_URL';
export const TEMPLATE_DATABASE = 'tagtrail_template';

export interface TestDatabase {
  url: string;
  /** Connections for arranging and for looking at rows; the code under test gets its own. */
  pool: Pool;
  /** Has `stop` called before the database is dropped, the last named first. */
  beforeDrop(stop: () => Promise<unknown>): void;
  /** Runs one statement and returns its rows. Who asks for the same again and again waits a little in between. */
  rows<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Truncates tables, `cascade` with it if that is to be. What the test before left at work is let finish first. */
  empty(tables: string): Promise<void>;
}

/** A database of the calling suite's own: migrated and empty before its first test, dropped after its last. */
export function useDatabase(): TestDatabase {
  const stops: (() => Promise<unknown>)[] = [];
  const polling = pausesBetweenLooks();
  const database = {
    beforeDrop: (stop) => {
      stops.unshift(stop);
    },
    rows: async (sql: string, values: unknown[] = []) => {
      await polling(sql);
      return (await database.pool.query(sql, values)).rows;
    },
    empty: (tables: string) => truncate(database.pool, tables),
  } as TestDatabase;
  let name: string | undefined;
  before(async () => {
    const made = `test_${randomBytes(6).toString('hex')}`;
    await onServer((client) =>
      client.query(`create database ${made} template ${TEMPLATE_DATABASE} strategy file_copy`),
    );
    name = made;
    database.url = withDatabase(serverUrl(), name);
    database.pool = createWritePool(database.url, { max: 4, applicationName: 'test' });
  });
  after(async function () {
    if (name === undefined) {
      // The suite was skipped, or its database could not be made.
      return;
    }
    for (const stop of stops) {
      await stop();
    }
    await database.pool.end();
    const written = await writtenHypertables(database.url);
    await onServer((client) => client.query(`drop database if exists ${name} with (force)`));
    const file = relative(process.cwd(), this.test?.file ?? this.test?.parent?.file ?? '');
    if (written.length > 0 && !isDecided(file)) {
      throw new Error(
        `${file} writes ${written}: decide in .ci/on-timescaledb.ts whether CI runs it on TimescaleDB`,
      );
    }
  });
  return database;
}

/** Waiting for rows by looking all the time would take the processors from those who are to write them. */
function pausesBetweenLooks(): (sql: string) => Promise<void> {
  const FREE = 5;
  const MILLISECONDS = 3;
  let last = '';
  let looks = 0;
  return async (sql) => {
    looks = sql === last ? looks + 1 : 0;
    last = sql;
    if (looks > FREE && sql.trimStart().startsWith('select')) {
      await pause(MILLISECONDS);
    }
  };
}

/** Those of the tables that TimescaleDB makes hypertables in which something was inserted, emptied since or not. */
async function writtenHypertables(url: string): Promise<string[]> {
  const client = new pg.Client(connectionConfig(url, 'test'));
  await client.connect();
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_stat_user_tables
     where relname in ('scan_events', 'location_transitions', 'moves', 'tag_readings') and n_tup_ins > 0`,
  );
  await client.end();
  return rows.map(({ relname }) => relname);
}

export function serverUrl(): string {
  const url = process.env[SERVER_URL];
  if (url === undefined) {
    throw new Error(`${SERVER_URL} is set by test/support/suite.ts, which .mocharc.json requires`);
  }
  return url;
}

export async function onServer<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(connectionConfig(withDatabase(serverUrl(), 'postgres'), 'test'));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * A query beside the test, of a registry that hears of a change for instance, may hold one of the tables and want another:
 * giving up all of them long before PostgreSQL looks for deadlocks (after 1 s) ends none of its sessions with an error.
 */
export async function truncate(pool: Pool, tables: string): Promise<void> {
  const LOCK_NOT_AVAILABLE = '55P03';
  const client = await pool.connect();
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query(`begin; set local lock_timeout = '100ms'; truncate ${tables}; commit`);
        return;
      } catch (error) {
        await client.query('rollback');
        if (attempt === 300 || !(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) {
          throw error;
        }
      }
    }
  } finally {
    client.release();
  }
}
