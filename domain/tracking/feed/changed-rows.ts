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
  const stored = new Map(before.map((row) => [row.observedAt, row]));
  const added: Transition[] = [];
  const changed: ChangedRow[] = [];
  for (const row of after) {
    const was = stored.get(row.observedAt);
    if (was === undefined) {
      added.push(row);
    } else if (!isSameRow(was, row)) {
      changed.push({ row, was });
    }
    stored.delete(row.observedAt);
  }
  return { added, changed, removed: [...stored.values()] };
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
