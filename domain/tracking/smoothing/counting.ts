import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Sighting } from '../history/history.ts';
import { keptScans } from './kept.ts';
import type { Smoothing, SmoothingSettings } from './settings.ts';
import { StrongestSince } from './strongest.ts';

/**
 * Where the ranges of antennas overlap, an asset that stands still is seen here and there in turn. Smoothing says which
 * scans count; history is the history of those that do (`history.ts`), so a stay begins with the first scan that counts.
 *
 * Of each instant one scan is looked at (`kept.ts`). Where its place is smoothed it counts if
 *   - a person made it: a handheld's scan is deliberate; or
 *   - the asset was seen nowhere else in the window before it: there is no rival, after a silence or at the very first; or
 *   - the asset was seen there and nowhere else in between for the minimum time: from a scan not after it to one not
 *     before it, both within the window of it; or
 *   - it is stronger: its place's strongest read of the window up to it is by the margin above the strongest of every
 *     other place in that window. Where either has no strength there is nothing to compare.
 * A scan at a place that is not smoothed counts. Window, minimum and margin are those of the scan's place, so of the
 * place moved to, that held when it was observed.
 *
 * What follows from this:
 *   - Whether a scan counts depends on the scans within its window and on nothing else: not on the order of arrival, and
 *     not on where the asset was before. In doubt none counts and the asset stays where it was: that is the inertia.
 *   - A scan that counts is not undone by later ones, only by late ones; later ones can make it count after all (the
 *     minimum time), and then the move is dated at the first sighting.
 */

/** What smoothing takes from a scan. */
export interface Seen extends Sighting {
  /** By a handheld. */
  isByPerson: boolean;
}

/**
 * Those of `seen`, in any order, that count, in order of time, one for each instant. Of scans near the ends of `seen`
 * it is true only if all within their window are among them.
 */
export function countingScans(seen: readonly Seen[], settings: SmoothingSettings): Seen[] {
  const scans = keptScans(seen, settings);
  const strongest = new Map<number, StrongestSince>();
  const counting: Seen[] = [];
  let run = runFrom(scans, 0);
  for (const [index, scan] of scans.entries()) {
    if (index > run.end) {
      run = runFrom(scans, index);
    }
    const ofPlace = strongest.get(scan.locationId) ?? new StrongestSince();
    ofPlace.add(scan.observedAt, scan.rssi);
    strongest.set(scan.locationId, ofPlace);
    const smoothing = settings.at(scan.locationId, scan.observedAt);
    if (
      smoothing === null ||
      scan.isByPerson ||
      isWithoutRival(scan, scans[run.start - 1], smoothing) ||
      isLongEnough(scan, scans, run, smoothing) ||
      isStrongEnough(scan, strongest, smoothing)
    ) {
      counting.push(scan);
    }
  }
  return counting;
}

/** Scans one after the other at one place, by their indexes. */
interface Run {
  start: number;
  end: number;
}

function runFrom(scans: readonly Seen[], start: number): Run {
  let end = start;
  while (end + 1 < scans.length && scans[end + 1]?.locationId === scans[start]?.locationId) {
    end++;
  }
  return { start, end };
}

/** @param rival the last scan before at another place. */
function isWithoutRival(scan: Seen, rival: Seen | undefined, { window }: Smoothing): boolean {
  return rival === undefined || rival.observedAt < scan.observedAt - window;
}

function isLongEnough(
  { observedAt }: Seen,
  scans: readonly Seen[],
  { start, end }: Run,
  { window, minimum }: Smoothing,
): boolean {
  if (minimum === null) {
    return false;
  }
  const timeAt = (index: number) => scans[index]?.observedAt ?? Number.NaN;
  const first = timeAt(firstIndex(start, end, (index) => timeAt(index) >= observedAt - window));
  const last = timeAt(firstIndex(start, end + 1, (index) => timeAt(index) > observedAt + window) - 1);
  return last - first >= minimum;
}

function isStrongEnough(
  { observedAt, locationId }: Seen,
  strongest: ReadonlyMap<number, StrongestSince>,
  { window, margin }: Smoothing,
): boolean {
  if (margin === null) {
    return false;
  }
  const since: Micros = observedAt - window;
  const here = strongest.get(locationId)?.since(since) ?? Number.NEGATIVE_INFINITY;
  return [...strongest].every(([place, reads]) => {
    const there = place === locationId ? null : reads.since(since);
    return there === null || (Number.isFinite(there) && here - there >= margin);
  });
}
