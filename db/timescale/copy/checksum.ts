import type pg from 'pg';
import { type Table, tablesInOrder } from './tables.ts';

/** Two numbers, equal for equal rows in any order. */
export interface TableChecksum {
  table: string;
  rows: number;
  checksum: string;
}

/** From one snapshot if the client is in a transaction that has one. */
export async function checksums(client: pg.ClientBase): Promise<TableChecksum[]> {
  const sums: TableChecksum[] = [];
  for (const table of await tablesInOrder(client)) {
    sums.push(await checksum(client, table));
  }
  return sums;
}

export async function checksum(client: pg.ClientBase, { name, identifier }: Table): Promise<TableChecksum> {
  const { rows } = await client.query<{ rows: number; checksum: string }>(
    `select count(*) as rows, coalesce(sum(hashtextextended(row_to_json(kept)::text, 0)), 0)::text as checksum
     from ${identifier} kept`,
  );
  return { table: name, rows: rows[0]?.rows ?? 0, checksum: rows[0]?.checksum ?? '' };
}
