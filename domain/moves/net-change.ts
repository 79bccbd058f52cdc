import type { Micros } from '../../base/instant.ts';
import { fromDatabase, toMicros } from '../../base/timestamps.ts';
import { keysOf, type MoveRow, type StoredChange, type StoredRow, storedRows } from './event.ts';

/** A row of a history without its instant; null without a row. */
type Cell = { locationId: number; duration: number | null } | null;

/**
 * Consecutive events of one asset as one event with their net change, at the position of the last; null if they cancel
 * out. Applied to a history it has the same effect.
 */
export function netChange(moves: readonly [MoveRow, ...MoveRow[]]): MoveRow | null {
  const [first, ...others] = moves;
  const last = others.at(-1);
  if (last === undefined) {
    return first;
  }
  const { added, removed, changed } = netRows(moves);
  if (added.length + removed.length + changed.length === 0) {
    return null;
  }
  const net = { ...last, part: 1, parts: 1, previous_location_id: first.previous_location_id };
  const [only] = added;
  if (only !== undefined && added.length + removed.length + changed.length === 1 && isCurrent(only, last)) {
    return { ...net, kind: 'moved', duration_seconds: only[2], rows: null, keys: null };
  }
  return {
    ...{ ...net, kind: 'corrected', duration_seconds: null },
    rows: JSON.stringify({ added, removed, changed }),
    keys: JSON.stringify(Object.assign({}, ...moves.map(keysOf))),
  };
}

/** Rows that an event names. */
export function countRows(move: MoveRow): number {
  const { added = [], removed = [], changed = [] } = storedRows(move);
  return added.length + removed.length + changed.length;
}

function netRows(moves: readonly MoveRow[]): {
  added: StoredRow[];
  removed: StoredRow[];
  changed: StoredChange[];
} {
  const touched = new Map<Micros, { before: Cell; after: Cell }>();
  const touch = (at: Micros, before: Cell, after: Cell) => {
    const known = touched.get(at);
    touched.set(at, { before: known === undefined ? before : known.before, after });
  };
  for (const move of moves) {
    const { added = [], removed = [], changed = [] } = storedRows(move);
    for (const [at, ...row] of added) {
      touch(at, null, cellOf(row));
    }
    for (const [at, ...row] of removed) {
      touch(at, cellOf(row), null);
    }
    for (const [at, locationId, duration, ...was] of changed) {
      touch(at, cellOf(was), cellOf([locationId, duration]));
    }
  }
  const net = { added: [] as StoredRow[], removed: [] as StoredRow[], changed: [] as StoredChange[] };
  for (const [at, { before, after }] of [...touched].sort(([one], [other]) => one - other)) {
    if (before === null && after !== null) {
      net.added.push([at, after.locationId, after.duration]);
    } else if (before !== null && after === null) {
      net.removed.push([at, before.locationId, before.duration]);
    } else if (before !== null && after !== null && !isSame(before, after)) {
      net.changed.push([at, after.locationId, after.duration, before.locationId, before.duration]);
    }
  }
  return net;
}

function cellOf([locationId, duration]: readonly [number, number | null]): Cell {
  return { locationId, duration };
}

function isSame(one: NonNullable<Cell>, other: NonNullable<Cell>): boolean {
  return one.locationId === other.locationId && one.duration === other.duration;
}

/** Whether a row is where the asset is now. */
function isCurrent([at, locationId]: StoredRow, { since, location_id: current }: MoveRow): boolean {
  return since !== null && toMicros(fromDatabase(since)) === at && current === locationId;
}
