import type pg from 'pg';
import { type MovedTable, ownedBy } from './moved-tables.ts';

export interface OwnedChecksum {
  table: string;
  rows: number;
  checksum: string;
}

/** Checksums of an organization's rows in each table, equal for equal rows in any order; in the transaction's snapshot. */
export async function ownedChecksums(
  client: pg.ClientBase,
  tables: readonly MovedTable[],
  orgId: number,
): Promise<OwnedChecksum[]> {
  const sums: OwnedChecksum[] = [];
  for (const table of tables) {
    const { rows } = await client.query<{ rows: number; checksum: string }>(
      `select count(*) as rows, coalesce(sum(hashtextextended(row_to_json(kept)::text, 0)), 0)::text as checksum
       from ${table.identifier} kept where ${ownedBy(table, orgId)}`,
    );
    sums.push({ table: table.name, rows: rows[0]?.rows ?? 0, checksum: rows[0]?.checksum ?? '' });
  }
  return sums;
}

/** The tables that do not agree. */
export function differing(some: readonly OwnedChecksum[], others: readonly OwnedChecksum[]): string[] {
  return some
    .filter(({ table, rows, checksum }) => {
      const other = others.find((each) => each.table === table);
      return other?.rows !== rows || other.checksum !== checksum;
    })
    .map(({ table }) => table);
}
