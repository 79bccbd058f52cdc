import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { serverUrl } from './database.ts';

/** A database of the calling suite as the last commit without the baseline left it, with rows of a simulated site. */
export interface BeforeBaseline {
  url: string;
  client: pg.Client;
}

/** Makes it before each test, and drops it after. */
export function useBeforeBaseline(): BeforeBaseline {
  const made = {} as BeforeBaseline;
  let name: string;
  beforeEach(async () => {
    name = `before_${randomBytes(6).toString('hex')}`;
    made.url = withDatabase(serverUrl(), name);
    await createDatabase(made.url);
    const client = new pg.Client(connectionConfig(made.url, 'test'));
    await client.connect();
    const { rowCount } = await client.query(
      `select where current_setting('timescaledb.max_background_workers', true) is not null`,
    );
    if (rowCount === 1) {
      await client.query('create extension if not exists timescaledb');
    }
    await client.query(fixture('schema'));
    // Rows that triggers wrote are among the others.
    await client.query(`set session_replication_role = replica; ${fixture('data')}`);
    await client.end();
    made.client = new pg.Client(connectionConfig(made.url, 'test'));
    await made.client.connect();
  });
  afterEach(async () => {
    await made.client?.end();
    const server = new pg.Client(connectionConfig(serverUrl(), 'test'));
    await server.connect();
    await server.query(`drop database if exists ${name} with (force)`);
    await server.end();
  });
  return made;
}

function fixture(name: string): string {
  return gunzipSync(
    readFileSync(new URL(`../fixtures/before-baseline/${name}.sql.gz`, import.meta.url)),
  ).toString('utf8');
}
