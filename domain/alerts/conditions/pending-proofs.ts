import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Stretch } from './stretch.ts';

/** What was true already if readers prove that they listened. */
export interface PendingProof {
  locationId: number;
  /** The first instant of which it makes another answer. */
  at: Micros;
  /** The stretch was over by now, too. */
  isOver: boolean;
}

/**
 * Where stretches that would be found if all was proven differ from those that are found. More that is covered never makes
 * less overdue, so each of these lies within one of those.
 *
 * @param found in order and apart, as is `foreseen`.
 */
export function pendingProofs(
  found: readonly Stretch[],
  foreseen: readonly Stretch[],
  now: Micros,
): PendingProof[] {
  return foreseen.flatMap((stretch) => {
    const at = firstDifference(stretch, overlapping(stretch, found));
    return stretch.because.kind !== 'overdue' || at === null || at > now
      ? []
      : [{ locationId: stretch.because.locationId, at, isOver: endOf(stretch) <= now }];
  });
}

function firstDifference(stretch: Stretch, found: Stretch | undefined): Micros | null {
  if (found === undefined || found.since > stretch.since) {
    return stretch.since;
  }
  return (found.alarmSince ?? Number.POSITIVE_INFINITY) > (stretch.alarmSince ?? Number.POSITIVE_INFINITY)
    ? stretch.alarmSince
    : null;
}

/** The first that overlaps. */
function overlapping(stretch: Stretch, found: readonly Stretch[]): Stretch | undefined {
  const other = found[firstIndex(0, found.length, (at) => endOf(found[at] as Stretch) > stretch.since)];
  return other !== undefined && other.since < endOf(stretch) ? other : undefined;
}

function endOf({ until }: Stretch): Micros {
  return until ?? Number.POSITIVE_INFINITY;
}
