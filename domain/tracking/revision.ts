import type { Transition } from './history/history.ts';
import type { Neighbourhood } from './history/revise.ts';
import { revise } from './history/revise.ts';
import type { LocatedScan } from './located-scan.ts';
import type { Position } from './positions.ts';
import { latest } from './touched.ts';

/** What is to be written of one asset. */
export interface Change {
  position: Position;
  put: Transition[];
  gone: Transition[];
  /** Whether what is put is later than every scan that was stored before. */
  isNewest: boolean;
}

/** A change of what is stored already. */
export interface Revision extends Change {
  /** The asset's last transitions as they are now; null if those are as they were. */
  upToNow: readonly Transition[] | null;
}

/** What brings an asset up to what is known of its neighbourhood. @param scans what is new of it, if anything. */
export function revision(
  position: Position,
  { windows, stored }: Neighbourhood,
  scans: readonly LocatedScan[],
): Revision {
  const revised = revise(stored, windows);
  const before = new Map(stored.map((transition) => [transition.observedAt, transition]));
  const after = new Set(revised.map(({ observedAt }) => observedAt));
  // The last stay is among those looked at, or none of what has changed reaches it.
  const isLastStaySeen = position.stay === null || before.has(position.stay.since);
  return {
    position: positionAfter(position, isLastStaySeen ? revised.at(-1) : undefined, scans),
    put: revised.filter((transition) => !isSame(before.get(transition.observedAt), transition)),
    gone: stored.filter(({ observedAt }) => !after.has(observedAt)),
    isNewest: false,
    upToNow: isLastStaySeen ? revised : null,
  };
}

/** @param last the last transition, if that may be another than it was. */
export function positionAfter(
  position: Position,
  last: Transition | undefined,
  scans: readonly LocatedScan[],
): Position {
  return {
    ...position,
    stay: last === undefined ? position.stay : { locationId: last.locationId, since: last.observedAt },
    lastSeen: Math.max(position.lastSeen ?? 0, latest(scans)),
  };
}

function isSame(a: Transition | undefined, b: Transition): boolean {
  return a?.locationId === b.locationId && a.durationSeconds === b.durationSeconds;
}
