import type pg from 'pg';
import { append } from '../../../base/append.ts';
import type { Sequence, Table } from './tables.ts';

/** Where each of a table's sequences is. */
export async function readSequences(client: pg.ClientBase, { sequences }: Table): Promise<Sequence[]> {
  const found: Sequence[] = [];
  for (const { sequence } of sequences) {
    // Quoted by the catalog where necessary.
    const { rows } = await client.query<{ last_value: number; is_called: boolean }>(
      `select last_value, is_called from ${sequence}`,
    );
    append(
      found,
      rows.map((row) => ({ sequence, lastValue: Number(row.last_value), isCalled: row.is_called })),
    );
  }
  return found;
}

export async function setSequences(client: pg.ClientBase, sequences: readonly Sequence[]): Promise<void> {
  for (const { sequence, lastValue, isCalled } of sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [sequence, lastValue, isCalled]);
  }
}
