import type { DecidedTransition, Transition } from '../history/history.ts';

/** What becomes of rows of a history, each in order of time. */
export interface ChangedRows {
  added: readonly Transition[];
  removed: readonly Transition[];
  /** At the same instant as before; at another location, or with another duration. */
  changed: readonly ChangedRow[];
}

export interface ChangedRow {
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
