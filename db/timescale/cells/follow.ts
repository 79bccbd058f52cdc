import { hash } from 'node:crypto';
import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { requireUninterrupted } from './break-off.ts';
import type { Cells, MoveHooks } from './cells.ts';
import { type Column, type MovedTable, movedTables } from './moved-tables.ts';
import { lsnOf, type ReplicationMessage, type Tuple, textOfLsn } from './pgoutput.ts';
import { forget, peek, unpublishedParts } from './replication.ts';
import { findMove, setApplied } from './stored-moves.ts';

/** The relations that one slot has described; it describes each once per session. */
type Relations = Map<number, Relation>;

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

const MOST_ROWS = 1_000;
const NONE: Inserts = { table: null, columns: [], rows: [] };

interface Statement {
  text: string;
  values: unknown[];
  requires?: (rows: number) => void;
}

type Send = (statement: Statement) => void;

/** 2. Changes since then, until few are left. */
export async function follow(cells: Cells, { signal, onProgress }: MoveHooks): Promise<void> {
  for (let took = Number.POSITIVE_INFINITY; took > SHORT; ) {
    requireUninterrupted(signal);
    const began = performance.now();
    await requirePublished(cells);
    const { changes } = await catchUp(cells, await writtenUpTo(cells.from));
    took = performance.now() - began;
    onProgress(`following: ${changes} changes`);
  }
}

export async function requirePublished({ from, orgId, slot }: Cells): Promise<void> {
  const unpublished = await unpublishedParts(from, slot, await movedTables(from), orgId);
  if (unpublished.length > 0) {
    throw new AppError(
      'conflict',
      `A chunk was begun since the move began (${unpublished.join(', ')}); give the move up (cell give-up), and begin again`,
    );
  }
}

/** Milliseconds. Applying what is written meanwhile takes less than the organization may be held. */
const SHORT = 1_000;

/**
 * The position up to which the log is on disk with everything committed before. It is read only from there on: what was
 * merely inserted would not be seen, and {@link forget} could skip it. The commit of this message waits for the disk.
 */
export async function writtenUpTo(from: pg.Client): Promise<string> {
  const { rows } = await from.query<{ lsn: string }>(
    `select pg_logical_emit_message(true, 'tagtrail cell move', '')::text as lsn`,
  );
  return rows[0]?.lsn ?? '0/0';
}

export interface Applied {
  /** Rows that were changed. */
  changes: number;
  /** The transactions that changed them. */
  xids: readonly number[];
}

/** Applies everything committed up to `upTo`. The log must be on disk up to there. */
export async function catchUp({ from, to, orgId, slot, tables }: Cells, upTo: string): Promise<Applied> {
  let applied = lsnOf((await findMove(to, orgId))?.applied ?? '0/0');
  let changes = 0;
  const xids: number[] = [];
  for (;;) {
    const transactions = (await peek(from, slot, upTo)).filter(({ endLsn }) => endLsn <= lsnOf(upTo));
    const last = transactions.at(-1)?.endLsn ?? 0n;
    if (last <= applied) {
      await forget(from, slot, upTo);
      return { changes, xids };
    }
    const relations: Relations = new Map();
    await beginApplying(to);
    for (const { xid, messages, endLsn } of transactions) {
      const isNew = endLsn > applied;
      // Relations are told of once, with the first change.
      const news = isNew ? messages : messages.filter(({ kind }) => kind === 'relation');
      const changed = await applyChanges(to, news, relations, (part) => tableOf(tables, part));
      changes += changed;
      if (changed > 0) {
        xids.push(xid);
      }
    }
    await setApplied(to, orgId, textOfLsn(last));
    await to.query('commit');
    applied = last;
    await forget(from, slot, textOfLsn(last));
  }
}

function tableOf(tables: readonly MovedTable[], part: string): MovedTable {
  const found = tables.find(({ parts }) => parts.includes(part));
  if (found === undefined) {
    throw new Error(`${part} does not belong to a table that moves`);
  }
  return found;
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
async function applyChanges(
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
    // An identity column may not be set, not even to its value. In an old key, null means nothing.
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

/** Switches triggers and foreign keys off for the transaction: they had their effect at the other cell. */
export async function beginApplying(to: pg.Client): Promise<void> {
  await to.query('begin');
  await to.query(`set local session_replication_role = 'replica'`);
}
