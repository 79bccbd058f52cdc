import { setTimeout as pause } from 'node:timers/promises';
import { append } from '../../../base/append.ts';
import type { Pool } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';
import { isOf, type OrganizationTable } from './organization-tables.ts';

export interface ErasingOptions {
  signal: AbortSignal;
  onDeleted(rows: number): void;
}

/** The part of a table looked at in one transaction: half a megabyte, some thousand rows at most. */
const BLOCKS = 64;

/** Milliseconds to rest at most; as long as a piece took, so that half of a disk at most is taken from others. */
const LONGEST_REST = 1_000;

/**
 * Deletes an organization's rows of a table, piece by piece in the order of their place on disk: what a piece reads and
 * deletes is bounded whatever others have in the table, and deleted rows are not passed again, as they would be in an index.
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

/** The table or, of a hypertable, its chunks; those only that have rows of the organization. */
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
