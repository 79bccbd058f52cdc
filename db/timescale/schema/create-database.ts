import pg from 'pg';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { databaseOf, withDatabase } from '../connections/database-url.ts';
import { requireServerVersion } from './server-version.ts';

/**
 * Creates the database that `url` names if missing, through the server's `postgres` database. Text is
 * compared by code point and folded by Unicode rules (`C.UTF-8`), whatever the server's locale.
 *
 * @throws AppError `misconfigured` if the server is too old.
 */
export async function createDatabase(url: string): Promise<void> {
  const name = databaseOf(url);
  const client = new Client(connectionConfig(withDatabase(url, 'postgres')));
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await requireServerVersion(client);
      await create(client, name);
    }
  } finally {
    await client.end();
  }
}

async function create(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(
      `create database ${client.escapeIdentifier(name)} template template0 encoding 'UTF8'
       locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`,
    );
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !ALREADY_CREATED.has(error.code ?? '')) {
      throw error;
    }
  }
}

/** `duplicate_database`, or `unique_violation` if two are created at the same moment. */
const ALREADY_CREATED = new Set(['42P04', '23505']);
