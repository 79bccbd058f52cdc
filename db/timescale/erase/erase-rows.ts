import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { append } from '../../../base/append.ts';
import type { Pool, PoolClient } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';
import { isOf, type OrganizationTable, organizationTables } from './organization-tables.ts';

export interface TableRows {
  name: string;
  rows: number;
}

export interface ErasingOptions {
  signal: AbortSignal;
  onDeleted(rows: number): void;
}

/** The part of a table looked at in one transaction: half a megabyte, some thousand rows at most. */
const BLOCKS = 64;

/** Milliseconds to rest at most; as long as a piece took, so that half of a disk at most is taken from others. */
const LONGEST_REST = 1_000;

/**
 * Deletes an organization's rows of a table in pieces, by their place on disk: each piece is bounded whatever others
 * have in the table, and deleted rows are not visited again, as they would be in an index.
 */
export async function eraseRows(
  pool: Pool,
  table: OrganizationTable,
  orgId: number,
  { signal, onDeleted }: ErasingOptions,
): Promise<void> {
  if (table.refersToItself) {
    // Locations are few: their references are checked at the end of the statement.
    onDeleted(await erase(pool, `delete from ${table.identifier} where ${isOf(table, '$1')}`, [orgId]));
    return;
  }
  for (const { identifier, blocks } of await partsWithRows(pool, table, orgId)) {
    const statement = `delete from only ${identifier}
      where ctid >= format('(%s,0)', $2::bigint)::tid and ctid < format('(%s,0)', $3::bigint)::tid
        and ${isOf(table, '$1')}`;
    for (let first = 0; first < blocks; first += BLOCKS) {
      signal.throwIfAborted();
      const began = performance.now();
      onDeleted(await erase(pool, statement, [orgId, first, first + BLOCKS]));
      await pause(Math.min(performance.now() - began, LONGEST_REST));
    }
  }
}

function erase(pool: Pool, statement: string, values: unknown[]): Promise<number> {
  return inTransaction(pool, async (client) => {
    // This includes logs that nobody may change; alerts are not derived again from deleted rows.
    await client.query(
      `select set_config('tagtrail.retention', 'on', true), set_config('tagtrail.copying', 'on', true)`,
    );
    const { rowCount } = await client.query(statement, values);
    return rowCount ?? 0;
  });
}

/** The table or, for a hypertable, its chunks that have rows of the organization. */
function partsWithRows(
  pool: Pool,
  table: OrganizationTable,
  orgId: number,
): Promise<{ identifier: string; blocks: number }[]> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ identifier: string; blocks: number }>(PARTS, [table.name]);
    const found: { identifier: string; blocks: number }[] = [];
    for (const part of rows) {
      const { rowCount } = await client.query(
        `select from only ${part.identifier} where ${isOf(table, '$1')} limit 1`,
        [orgId],
      );
      append(found, rowCount === 0 ? [] : [part]);
    }
    return found;
  });
}

const PARTS = `with recursive part (id) as (
    select format('public.%I', $1::text)::regclass::oid
    union all
    select inhrelid from part join pg_inherits on inhparent = part.id
  )
  select format('%I.%I', nspname, relname) as identifier,
    (pg_relation_size(part.id) / current_setting('block_size')::bigint)::integer as blocks
  from part
  join pg_class on pg_class.oid = part.id
  join pg_namespace on pg_namespace.oid = relnamespace
  order by identifier`;

/**
 * Deletes the users who are, or were until they were removed, members of this organization and of no other one, with their
 * sessions, links, and what the log of the installation has of them; of others the membership.
 *
 * @returns how many users are deleted.
 */
export function eraseMembers(pool: Pool, orgId: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    const users = await membersOfNoOther(client, orgId);
    await eraseLogged(client, users);
    await client.query(
      'delete from alert_mail_recipients where org_id = $1 or user_id = any($2::integer[])',
      [orgId, users],
    );
    await client.query('delete from memberships where org_id = $1', [orgId]);
    await client.query('delete from sessions where user_id = any($1::integer[])', [users]);
    await client.query('delete from known_devices where user_id = any($1::integer[])', [users]);
    await client.query(
      'delete from user_links where user_id = any($1::integer[]) or made_by = any($1::integer[])',
      [users],
    );
    await client.query('delete from users where id = any($1::integer[])', [users]);
    return users.length;
  });
}

async function membersOfNoOther(client: PoolClient, orgId: number): Promise<number[]> {
  const { rows } = await client.query<{ users: number[] }>(
    `with own as materialized (
       select user_id from memberships where org_id = $1
       union
       select id from users where id::text = any(array(
         select resource_id from changes where org_id = $1 and resource_type = 'membership'
       ))
     )
     select array(
       select user_id from own
       except
       select user_id from memberships where org_id <> $1
       except
       select resource_id::integer from changes
       where org_id <> $1 and resource_type = 'membership' and resource_id = any(array(select user_id::text from own))
     ) as users`,
    [orgId],
  );
  return rows[0]?.users ?? [];
}

/** Log entries from a time when they belonged to no organization, or to a deleted one: with addresses. */
async function eraseLogged(client: PoolClient, users: readonly number[]): Promise<void> {
  await client.query(`select set_config('tagtrail.retention', 'on', true)`);
  await client.query(
    `delete from changes
     where org_id is null and (
       resource_type = 'user' and resource_id = any($1::integer[]::text[])
       or resource_type in ('link', 'session')
         and external_key = any(array(select email from users where id = any($1::integer[])))
     )`,
    [users],
  );
}

const FOREIGN_KEY_VIOLATION = '23503';

/** The table with a row that refers to one that was to be deleted; null for any other error. */
export function stillReferring(error: unknown): string | null {
  return error instanceof pg.DatabaseError && error.code === FOREIGN_KEY_VIOLATION
    ? (error.table ?? 'a table')
    : null;
}

/** The rows that an organization has in each table, `organizations` apart. */
export function countRows(pool: Pool, orgId: number): Promise<TableRows[]> {
  return inTransaction(pool, async (client) => {
    const counts: TableRows[] = [];
    for (const table of await organizationTables(client)) {
      const { rows } = await client.query<{ rows: number }>(
        `select count(*)::integer as rows from ${table.identifier} where ${isOf(table, '$1')}`,
        [orgId],
      );
      counts.push({ name: table.name, rows: rows[0]?.rows ?? 0 });
    }
    return counts;
  });
}
