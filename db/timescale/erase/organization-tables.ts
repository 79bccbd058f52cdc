import pg from 'pg';
import type { Pool } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';
import { inReferenceOrder, OWNER_COLUMNS, REFERS_TO } from '../copy/tables.ts';

export interface OrganizationTable {
  name: string;
  identifier: string;
  /** Its rows are an organization's by one of these. */
  columns: string[];
  refersToItself: boolean;
}

/**
 * Every table with rows of organizations, as the catalog says, so that none is forgotten; each after those it refers to.
 * Without `organizations` itself.
 */
export async function organizationTables(client: pg.ClientBase): Promise<OrganizationTable[]> {
  const { rows } = await client.query<{
    name: string;
    columns: string[];
    refers_to: string[];
    refers_to_itself: boolean;
  }>(TABLES);
  const names = new Set(rows.map(({ name }) => name));
  return inReferenceOrder(
    rows.map((row) => ({ ...row, refers_to: row.refers_to.filter((name) => names.has(name)) })),
  ).map(({ name, columns, refers_to_itself: refersToItself }) => ({
    name,
    identifier: pg.escapeIdentifier(name),
    columns: columns.map((column) => pg.escapeIdentifier(column)),
    refersToItself,
  }));
}

/** {@link organizationTables}, referring tables first, the order for emptying them. */
export async function tablesToEmpty(pool: Pool): Promise<OrganizationTable[]> {
  const tables = await inTransaction(pool, (client) => organizationTables(client));
  const rank = ({ name }: OrganizationTable) => (FIRST.includes(name) ? -1 : LAST.includes(name) ? 1 : 0);
  return tables.toReversed().sort((one, other) => rank(one) - rank(other));
}

/** Deleted before the rows that they count, so that nothing is counted down row by row. */
const FIRST = ['history_marks'];
const LAST = ['live_row_counts'];

/** The condition of an organization's rows. */
export function isOf({ columns }: OrganizationTable, orgId: string): string {
  return `(${columns.map((column) => `${column} = ${orgId}::integer`).join(' or ')})`;
}

const TABLES = `select relation.relname::text as name, owner.columns,
    ${REFERS_TO},
    exists (
      select from pg_constraint where contype = 'f' and conrelid = relation.oid and confrelid = relation.oid
    ) as refers_to_itself
  from pg_class relation
  cross join lateral (
    select array_agg(attname::text order by attnum) as columns
    ${OWNER_COLUMNS}
  ) owner
  where relation.relnamespace = 'public'::regnamespace and relation.relkind in ('r', 'p')
    and relation.relname <> 'organizations' and owner.columns is not null
  order by name`;
