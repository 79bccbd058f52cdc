import { hash } from 'node:crypto';
import type pg from 'pg';
import type { Column, MovedTable } from './moved-tables.ts';
import type { ReplicationMessage, Tuple } from './pgoutput.ts';

/** The relations that one slot has described; it describes each once per session. */
export type Relations = Map<number, Relation>;

interface Relation {
  table: MovedTable;
  columns: readonly Column[];
}

/** Rows of one table that were inserted one after the other. */
interface Inserts {
  table: MovedTable | null;
  columns: readonly Column[];
  rows: Tuple[];
}

/**
 * Makes the same changes in the client's transaction, in their order; inserts that follow each other in one statement. None
 * waits for the answer to the one before, if the client is one that pipelines.
 *
 * Triggers and references have had their effect where the changes come from, so neither is in force here
 * (`session_replication_role`).
 *
 * @returns how many rows were changed.
 */
export async function applyChanges(
  client: pg.ClientBase,
  messages: readonly ReplicationMessage[],
  relations: Relations,
  tableOf: (part: string) => MovedTable,
): Promise<number> {
  let inserts: Inserts = NONE;
  let changed = 0;
  const sent: Promise<void>[] = [];
  const send: Send = ({ text, values, requires = () => {} }) => {
    const name = hash('sha256', text, 'base64url');
    const answered = client.query({ name, text, values }).then(({ rowCount }) => requires(rowCount ?? 0));
    // All fail once one does.
    answered.catch(() => {});
    sent.push(answered);
  };
  const flush = () => {
    const { table, columns, rows } = inserts;
    inserts = NONE;
    if (table !== null) {
      send(insertOf(table, columns, rows));
    }
  };
  for (const message of messages) {
    switch (message.kind) {
      case 'relation':
        relations.set(message.id, relationOf(message, tableOf(message.name)));
        break;
      case 'insert': {
        const { table, columns } = known(relations, message.relation);
        if (inserts.table !== table || inserts.rows.length === MOST_ROWS) {
          flush();
          inserts = { table, columns, rows: [] };
        }
        inserts.rows.push(message.row);
        changed += 1;
        break;
      }
      case 'update':
        flush();
        sendUpdate(send, known(relations, message.relation), message);
        changed += 1;
        break;
      case 'delete':
        flush();
        send(deleteOf(known(relations, message.relation), message.before));
        changed += 1;
        break;
      case 'truncate':
        throw new Error('a table was truncated while an organization moves');
    }
  }
  flush();
  for (const answered of sent) {
    await answered;
  }
  return changed;
}

const MOST_ROWS = 1_000;
const NONE: Inserts = { table: null, columns: [], rows: [] };

function relationOf({ columns }: { columns: readonly string[] }, table: MovedTable): Relation {
  return { table, columns: columns.map((name) => columnOf(table, name)) };
}

function known(relations: Relations, id: number) {
  const relation = relations.get(id);
  if (relation === undefined) {
    throw new Error(`relation ${id} was never announced`);
  }
  return relation;
}

function columnOf(table: MovedTable, name: string): Column {
  const column = table.columns.find((each) => each.name === name);
  if (column === undefined) {
    throw new Error(`${table.name} has no column ${name}`);
  }
  return column;
}

interface Statement {
  text: string;
  values: unknown[];
  requires?: (rows: number) => void;
}

type Send = (statement: Statement) => void;

function insertOf({ identifier }: MovedTable, columns: readonly Column[], rows: readonly Tuple[]): Statement {
  const selected = columns.map(({ type }, index) => `given.c${index}::${type}`);
  return {
    text: `insert into ${identifier} (${columns.map((column) => column.identifier).join(', ')}) overriding system value
     select ${selected.join(', ')}
     from unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')})
       as given (${columns.map((_, index) => `c${index}`).join(', ')})`,
    values: columns.map((_, index) => rows.map((row) => row[index] ?? null)),
  };
}

function sendUpdate(
  send: Send,
  { table, columns }: { table: MovedTable; columns: readonly Column[] },
  { before, row }: { before: Tuple | null; row: Tuple },
): void {
  const values: (string | null)[] = [];
  const set = columns.flatMap(({ name, identifier, type }, index) => {
    const value = row[index];
    // An identity may not be set, not even to what it is. Of an old key, null says nothing.
    const isSame =
      before === null ? table.key?.includes(name) === true : value !== null && before[index] === value;
    return value === undefined || isSame ? [] : [`${identifier} = $${values.push(value)}::${type}`];
  });
  if (set.length === 0) {
    return;
  }
  const where = conditions(table, columns, before ?? row, values);
  send({
    text: `update ${table.identifier} set ${set.join(', ')} where ${where}`,
    values,
    requires: (rows) => {
      if (rows !== 1) {
        throw new Error(`${table.name}: a change touched ${rows} rows instead of one`);
      }
    },
  });
}

/** Old rows may have been dropped here already. */
function deleteOf(
  { table, columns }: { table: MovedTable; columns: readonly Column[] },
  before: Tuple,
): Statement {
  const values: (string | null)[] = [];
  const where = conditions(table, columns, before, values);
  return { text: `delete from ${table.identifier} where ${where}`, values };
}

/** Finds a row by its key; in a table without one, by all that it had. */
function conditions(
  { key }: MovedTable,
  columns: readonly Column[],
  tuple: Tuple,
  values: (string | null)[],
): string {
  return columns
    .flatMap(({ name, identifier, type }, index) => {
      const value = tuple[index];
      if (key?.includes(name) === false) {
        return [];
      }
      if (value === null || value === undefined) {
        return [`${identifier} is null`];
      }
      const parameter = `$${values.push(value)}`;
      return type === 'json'
        ? [`${identifier}::text = ${parameter}`]
        : [`${identifier} = ${parameter}::${type}`];
    })
    .join(' and ');
}
