import type { Micros } from '../../../base/instant.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import type { DecidedTransition, Stay, Transition } from '../history/history.ts';

/** The changes of a history's rows, each list in order of time. */
export interface ChangedRows {
  added: readonly Transition[];
  removed: readonly Transition[];
  /** At the same instant as before; at another location, or with another duration. */
  changed: readonly ChangedRow[];
}

interface ChangedRow {
  row: Transition;
  was: Transition;
}

/** What makes `after` of `before`, both ascending. Which scans decided does not matter. */
export function changedRows(
  before: readonly DecidedTransition[],
  after: readonly DecidedTransition[],
): ChangedRows {
  const added: Transition[] = [];
  const removed: Transition[] = [];
  const changed: ChangedRow[] = [];
  let next = 0;
  for (const row of after) {
    let was = before[next];
    while (was !== undefined && was.observedAt < row.observedAt) {
      removed.push(was);
      was = before[++next];
    }
    if (was?.observedAt !== row.observedAt) {
      added.push(row);
    } else {
      next += 1;
      if (!isSameRow(was, row)) {
        changed.push({ row, was });
      }
    }
  }
  for (let left = before[next]; left !== undefined; left = before[++next]) {
    removed.push(left);
  }
  return { added, removed, changed };
}

export function onlyAdded(added: readonly Transition[]): ChangedRows {
  return { added, removed: NONE, changed: NONE };
}

export function countRows({ added, removed, changed }: ChangedRows): number {
  return added.length + removed.length + changed.length;
}

function isSameRow(a: Transition, b: Transition): boolean {
  return a.locationId === b.locationId && a.durationSeconds === b.durationSeconds;
}

const NONE: readonly never[] = [];

/** A change of an asset's history, as the feed will tell it. */
export interface UnsealedMove extends AssetRef {
  /** By the database's clock while the position was locked, never before that of the asset's previous change. */
  recordedAt: Micros;
  /** Where the asset was before, and where it is now; null if nowhere. */
  before: Stay | null;
  stay: Stay | null;
  lastSeen: Micros | null;
  rows: ChangedRows;
}

/** Whether it belongs in the feed. A corrected position alone is an event without rows. */
export function isChange({ before, stay, rows }: Pick<UnsealedMove, 'before' | 'stay' | 'rows'>): boolean {
  return countRows(rows) > 0 || before?.locationId !== stay?.locationId || before?.since !== stay?.since;
}

/** Whether it is one row more at the end of the history, and nothing else. */
export function isMoved({ before, stay, rows: { added, removed, changed } }: UnsealedMove): boolean {
  return (
    added.length === 1 &&
    removed.length + changed.length === 0 &&
    added[0]?.observedAt === stay?.since &&
    (before === null || before.since < (stay?.since ?? 0))
  );
}

/** Rows that one event tells of at most. */
export const MOST_ROWS = 1_000;

/** In order of time, at most `most` rows per part. */
export function inParts({ added, removed, changed }: ChangedRows, most = MOST_ROWS): ChangedRows[] {
  const all: Listed[] = [
    ...added.map((row): Listed => ({ list: 'added', at: row.observedAt, row })),
    ...removed.map((row): Listed => ({ list: 'removed', at: row.observedAt, row })),
    ...changed.map((row): Listed => ({ list: 'changed', at: row.row.observedAt, row })),
  ].sort((a, b) => a.at - b.at);
  return Array.from({ length: Math.ceil(all.length / most) }, (_, part) => {
    const rows = { added: [] as Transition[], removed: [] as Transition[], changed: [] as ChangedRow[] };
    for (const each of all.slice(part * most, (part + 1) * most)) {
      if (each.list === 'changed') {
        rows.changed.push(each.row);
      } else {
        rows[each.list].push(each.row);
      }
    }
    return rows;
  });
}

type Listed = { at: Micros } & (
  | { list: 'added' | 'removed'; row: Transition }
  | { list: 'changed'; row: ChangedRow }
);

/**
 * As `rows` of the feed has them (`db/timescale/schema/tables/moves.sql`), without empty lists. It consists of numbers,
 * so it is built here in a third of the time of `JSON.stringify`.
 */
export function rowsAsJson({ added, removed, changed }: ChangedRows): string {
  const lists: string[] = [];
  if (added.length > 0) {
    lists.push(`"added":[${added.map((row) => `[${numbersOf(row)}]`).join()}]`);
  }
  if (removed.length > 0) {
    lists.push(`"removed":[${removed.map((row) => `[${numbersOf(row)}]`).join()}]`);
  }
  if (changed.length > 0) {
    const rows = changed.map(
      ({ row, was }) => `[${numbersOf(row)},${was.locationId},${was.durationSeconds}]`,
    );
    lists.push(`"changed":[${rows.join()}]`);
  }
  return `{${lists.join()}}`;
}

function numbersOf({ observedAt, locationId, durationSeconds }: Transition): string {
  return `${observedAt},${locationId},${durationSeconds}`;
}

interface Unsealed {
  /** Changes of histories that wait to be sealed. */
  unsealed: number;
}

/**
 * Calls `onMoves` after a transaction in which changes of histories were recorded, also if its commit was not answered:
 * it may have gone through, and being called for nothing does no harm.
 *
 * @param transact passes what recording made through `note`.
 */
export async function announcingMoves<Result>(
  onMoves: (() => void) | undefined,
  transact: (note: <Made extends Unsealed>(made: Made) => Made) => Promise<Result>,
): Promise<Result> {
  let isAny = false;
  try {
    return await transact((made) => {
      isAny ||= made.unsealed > 0;
      return made;
    });
  } finally {
    if (isAny) {
      onMoves?.();
    }
  }
}
