import { type ChangedRows, changedRows, onlyAdded } from './feed/changed-rows.ts';
import { isSameScan } from './history/deciding-scan.ts';
import type { DecidedTransition, Stay, Transition } from './history/history.ts';
import { isSamePosition } from './history/metric-position.ts';
import type { Neighbourhood } from './history/revise.ts';
import { revise } from './history/revise.ts';
import type { LocatedScan } from './located-scan.ts';
import type { WithMoves } from './moves.ts';
import type { Position } from './positions.ts';
import { latest, type Touched } from './touched.ts';

/** Rows to write for one asset. */
export interface Change {
  position: Position;
  before: Stay | null;
  /** New rows, rows that have changed, and rows that another scan has decided. */
  put: readonly DecidedTransition[];
  gone: readonly Transition[];
  /** What of this is told. */
  rows: ChangedRows;
  /** True if `put` is later than every scan that was stored before. */
  isNewest: boolean;
}

export interface Revision extends Change {
  /** The transitions as revised, up to the last of the asset; null if the change does not reach its last stay. */
  upToNow: readonly DecidedTransition[] | null;
}

/** @param scans the new and changed ones; none where history is recomputed. */
export function revision(
  position: Position,
  { spans, stored, newest }: Neighbourhood,
  scans: readonly LocatedScan[],
): Revision {
  const revised = revise(stored, spans);
  const rows = changedRows(stored, revised);
  // The last stay is in the neighbourhood, or no change reaches it.
  const { stay } = position;
  const isLastStaySeen = stay === null || stored.some(({ observedAt }) => observedAt === stay.since);
  return {
    position: {
      ...positionAfter(position, isLastStaySeen ? (revised.at(-1) ?? null) : undefined, scans),
      newest,
    },
    before: stay,
    put: revisedRows(stored, revised),
    gone: rows.removed,
    rows,
    isNewest: false,
    upToNow: isLastStaySeen ? revised : null,
  };
}

/** Both ascending. @returns those of `revised` that are not stored as they are. */
function revisedRows(
  stored: readonly DecidedTransition[],
  revised: readonly DecidedTransition[],
): readonly DecidedTransition[] {
  let next = 0;
  return revised.filter((transition) => {
    while ((stored[next]?.observedAt ?? Number.POSITIVE_INFINITY) < transition.observedAt) {
      next += 1;
    }
    const was = stored[next];
    return was?.observedAt !== transition.observedAt || !isSame(was, transition);
  });
}

/** The change of an asset whose new scans are all within its stays, as most are. */
export function unchanged({ position, scans }: Pick<Touched, 'position' | 'scans'>): Change & WithMoves {
  return { ...STILL, position: positionAfter(position, undefined, scans), before: position.stay };
}

const STILL = { put: [], gone: [], rows: onlyAdded([]), isNewest: true, moves: [] };

/** @param last the last transition; null if there is none any more, undefined if it has not changed. */
export function positionAfter(
  position: Position,
  last: Transition | null | undefined,
  scans: readonly LocatedScan[],
): Position {
  return {
    ...position,
    stay: last === undefined ? position.stay : stayOf(last),
    lastSeen: Math.max(position.lastSeen ?? 0, latest(scans)),
  };
}

function stayOf(last: Transition | null): Stay | null {
  return last === null ? null : { locationId: last.locationId, since: last.observedAt };
}

function isSame(a: DecidedTransition, b: DecidedTransition): boolean {
  return (
    a.locationId === b.locationId &&
    a.durationSeconds === b.durationSeconds &&
    isSameScan(a.decidedBy, b.decidedBy) &&
    isSamePosition(a.position ?? null, b.position ?? null)
  );
}
