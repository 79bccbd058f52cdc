import type { Pool } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';
import { isOf, organizationTables } from './organization-tables.ts';

export interface TableRows {
  name: string;
  rows: number;
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
