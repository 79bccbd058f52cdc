import pg from 'pg';
import { connectionConfig } from './connection.ts';

/**
 * Makes the database that `url` names, if it is not there, through the server's `postgres` database. Text is compared
 * by Unicode code point and folded by Unicode rules (`C.UTF-8`), whatever the server's own locale.
 */
export async function createDatabase(url: string): Promise<void> {
  const name = databaseOf(url);
  const client = new pg.Client(connectionConfig(withDatabase(url, 'postgres')));
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await client.query(
        `create database ${client.escapeIdentifier(name)} template template0 encoding 'UTF8'
         locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`,
      );
    }
  } finally {
    await client.end();
  }
}

/** The same server's address with another database name. */
export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(name)}`;
  return other.href;
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}
