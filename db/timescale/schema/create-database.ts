import pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { databaseOf, withDatabase } from '../connections/database-url.ts';
import { sqlStateOf } from '../connections/sql-state.ts';
import { MADE_WITH } from './require-fit.ts';
import { requireServerVersion } from './server-version.ts';

/**
 * Creates the database that `url` names if missing, through the server's `postgres` database.
 *
 * @throws AppError `misconfigured` if the server is too old, `forbidden` if the user may not.
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
    await client.query(`create database ${client.escapeIdentifier(name)} ${MADE_WITH}`);
  } catch (error) {
    if (sqlStateOf(error) === INSUFFICIENT_PRIVILEGE) {
      const [user, database] = [client.user ?? '', name].map((each) => client.escapeIdentifier(each));
      throw new AppError(
        'forbidden',
        `There is no database ${name}, and ${client.user} may not create one. As a superuser: create database ${database} owner ${user} ${MADE_WITH};`,
        { cause: error },
      );
    }
    if (!(error instanceof pg.DatabaseError) || !ALREADY_CREATED.has(error.code ?? '')) {
      throw error;
    }
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** `duplicate_database`, or `unique_violation` if two are created at the same moment. */
const ALREADY_CREATED = new Set(['42P04', '23505']);
