import pg from 'pg';
import { append } from '../../../base/append.ts';

/** Parts of questions to the catalog about a table, whose row of `pg_class` they call `relation`. */

/** The tables that it refers to, itself left out. */
export const REFERS_TO = `array(
      select distinct referred.relname::text
      from pg_constraint
      join pg_class referred on referred.oid = confrelid
      where contype = 'f' and conrelid = relation.oid and confrelid <> relation.oid
    ) as refers_to`;

/** The sequences behind its columns. */
export const SEQUENCES = `coalesce((
      select json_agg(json_build_object('column', attname, 'sequence', sequence))
      from pg_attribute
      cross join lateral pg_get_serial_sequence(relation.oid::regclass::text, attname) as sequence
      where attrelid = relation.oid and attnum > 0 and not attisdropped and sequence is not null
    ), '[]')::jsonb as sequences`;

/** Its columns that name an organization, as rows of `pg_attribute`. */
export const OWNER_COLUMNS = `from pg_attribute
    where attrelid = relation.oid and attnum > 0 and not attisdropped and (
      attname = 'org_id' or exists (
        select from pg_constraint
        where contype = 'f' and conrelid = relation.oid and confrelid = 'organizations'::regclass
          and conkey = array[attnum]
      )
    )`;

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
