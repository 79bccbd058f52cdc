import type pg from 'pg';
import { FORMAT, type Piece } from './backup-file.ts';
import { checksum, type TableChecksum } from './checksum.ts';
import { rowsAsJson } from './rows-as-json.ts';
import { readSequences, tablesInOrder } from './tables.ts';

/**
 * A whole database as of one instant, while it is used.
 *
 * @param client in a transaction with one snapshot.
 */
export async function* backUp(
  client: pg.ClientBase,
  { onProgress, onSum }: { onProgress(table: string, rows: number): void; onSum(sum: TableChecksum): void },
): AsyncGenerator<Piece> {
  const { rows: facts } = await client.query<{ at: string; migrations: string[]; has_timescale: boolean }>(
    `select to_json(now())#>>'{}' as at, array(select name from schema_migrations order by name) as migrations,
       exists (select from pg_extension where extname = 'timescaledb') as has_timescale`,
  );
  for (const { at, migrations, has_timescale: hasTimescale } of facts) {
    yield { kind: 'header', header: { format: FORMAT, at, migrations, hasTimescale } };
  }
  for (const table of await tablesInOrder(client)) {
    yield { kind: 'table', table: table.name, sequences: await readSequences(client, table) };
    let count = 0;
    for await (const rows of rowsAsJson(client, `select * from ${table.identifier}`)) {
      yield { kind: 'rows', rows };
      count += rows.length;
      onProgress(table.name, count);
    }
    const sum = await checksum(client, table);
    yield { kind: 'sum', sum };
    onSum(sum);
  }
  yield { kind: 'end' };
}
