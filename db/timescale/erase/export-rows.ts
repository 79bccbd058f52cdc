import pg from 'pg';
import type { Pool } from '../connections/client.ts';
import { inSnapshot } from '../connections/transaction.ts';
import { rowsAsJson } from '../copy/rows-as-json.ts';
import { isOf, type OrganizationTable, organizationTables } from './organization-tables.ts';

/** Never exported: credentials, their digests, and keys they are encrypted with. */
export const SECRET_COLUMNS: readonly string[] = [
  'api_keys.secret_sha256',
  'handhelds.token_sha256',
  'mqtt_consumers.password_sha256',
  'readers.mqtt_password_sha256',
  'user_links.digest',
  'webhook_secrets.sealed',
];

/** Takes lines of JSON of a table, without their ends; none at all first. */
export type TakeLines = (table: string, lines: readonly string[]) => Promise<void>;

export interface ExportedInstant {
  exportedAt: string;
  /** The latest migration, which defines what the rows mean. */
  migration: string;
}

/** Reads every row of an organization, table by table, as of one instant. */
export function exportRows(pool: Pool, orgId: number, take: TakeLines): Promise<ExportedInstant> {
  return inSnapshot(pool, async (client) => {
    await readRows(client, 'organizations', `select * from organizations where id = ${orgId}`, take);
    await readRows(
      client,
      'users',
      `select id, email, name, created_at from users
       where id in (select user_id from memberships where org_id = ${orgId})`,
      take,
    );
    for (const table of await organizationTables(client)) {
      const columns = (await exportedColumns(client, table)).join(', ');
      const query = `select ${columns} from ${table.identifier} where ${isOf(table, String(orgId))}`;
      await readRows(client, table.name, query, take);
    }
    return instantOf(client);
  });
}

export async function instantOf(client: pg.ClientBase): Promise<ExportedInstant> {
  const { rows } = await client.query<{ exported_at: string; migration: string }>(
    `select to_json(now()) #>> '{}' as exported_at,
       (select max(name) from schema_migrations where name not like 'functions-%') as migration`,
  );
  return { exportedAt: rows[0]?.exported_at ?? '', migration: rows[0]?.migration ?? '' };
}

export async function exportedColumns(
  client: pg.ClientBase,
  { name }: Pick<OrganizationTable, 'name'>,
): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select attname::text as column from pg_attribute
     where attrelid = format('public.%I', $1::text)::regclass and attnum > 0 and not attisdropped order by attnum`,
    [name],
  );
  return rows
    .filter(({ column }) => !SECRET_COLUMNS.includes(`${name}.${column}`))
    .map(({ column }) => pg.escapeIdentifier(column));
}

async function readRows(client: pg.ClientBase, name: string, query: string, take: TakeLines): Promise<void> {
  await take(name, []);
  for await (const lines of rowsAsJson(client, query)) {
    await take(name, lines);
  }
}
