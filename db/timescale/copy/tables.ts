import pg from 'pg';
import { append } from '../../../base/append.ts';
import { REFERS_TO, SEQUENCES } from './catalog.ts';

export interface Table {
  name: string;
  identifier: string;
  sequences: { column: string; sequence: string }[];
}

/** The table and column of a sequence, by its name as the catalog quotes it. */
export interface Sequence {
  sequence: string;
  lastValue: number;
  isCalled: boolean;
}

/**
 * Derived tables: rebuilt by triggers or afterwards, not copied. Silences are derived again from a reader's first
 * expectation on, for the last eight days.
 */
const DERIVED: readonly string[] = [
  'live_row_counts',
  'history_marks',
  'silence_revisions',
  'reader_joined_spans',
];

/** Tables to copy, each after those it references. */
export async function tablesInOrder(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; refers_to: string[]; sequences: Table['sequences'] }>(
    TABLES,
    [['schema_migrations', ...DERIVED]],
  );
  return inReferenceOrder(rows).map(({ name, sequences }) => ({
    name,
    identifier: pg.escapeIdentifier(name),
    sequences,
  }));
}

/** Referenced tables first. */
export function inReferenceOrder<Row extends { name: string; refers_to: string[] }>(
  tables: readonly Row[],
): Row[] {
  const ordered: Row[] = [];
  const isPlaced = (name: string) => ordered.some((table) => table.name === name);
  while (ordered.length < tables.length) {
    const next = tables.filter(({ name, refers_to }) => !isPlaced(name) && refers_to.every(isPlaced));
    if (next.length === 0) {
      throw new Error('tables refer to each other in a circle');
    }
    append(ordered, next);
  }
  return ordered;
}

/** $1: tables to leave out. References of a table to itself are checked at a statement's end. */
const TABLES = `select relation.relname::text as name,
    ${REFERS_TO},
    ${SEQUENCES}
  from pg_class relation
  where relation.relnamespace = 'public'::regnamespace and relation.relkind in ('r', 'p')
    and relation.relname <> all($1::text[])
  order by name`;

/** The location of each of a table's sequences. */
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
