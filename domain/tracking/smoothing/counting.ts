import { Turns } from '../../../base/each-in-turns.ts';
import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Sighting } from '../history/history.ts';
import { keptScans } from './kept.ts';
import { Leads } from './leads.ts';
import type { Smoothing, SmoothingSettings } from './settings.ts';

/**
 * Where the ranges of antennas overlap, an asset at rest is seen by one and the other in turn. Smoothing decides which
 * scans count; history is the history of those (`history.ts`), so a stay begins with the first scan that counts.
 *
 * 1. One scan is considered of each instant (`kept.ts`).
 * 2. At a location without smoothing every scan counts.
 * 3. At a smoothed location a scan counts if one of these holds:
 *    - a person: a handheld made it, hence on purpose;
 *    - no rival: in the window before it the asset was seen nowhere else, as after a silence or at the very first;
 *    - long enough: the asset was seen there, and nowhere else in between, for the minimum time, from a scan not after
 *      this one to a scan not before it, both within its window;
 *    - stronger: the strongest read there in the window up to it exceeds the strongest at every other location in that
 *      window by the margin. Without RSSI on both sides this proves nothing.
 *
 * Window, minimum and margin are those of the scan's location, which is the one moved to, as they held when it was
 * observed.
 *
 * With a window of 20 s and a minimum time of 5 s:
 *
 *     second     0   3   6   8   11
 *     seen at    A   A   B   B   B
 *                        |-------|     5 s at B and nowhere else: all three count
 *     stays      A-------B             dated at the first of them
 *
 * What follows from this:
 *
 * - Whether a scan counts depends on the scans within its window and on nothing else: not on the order of arrival, and
 *   not on where the asset was before. In doubt none counts and the asset stays where it was (hysteresis).
 * - Later scans can make a scan count (long enough), which dates a move earlier. Only late scans can undo one that
 *   counts.
 */

export interface Seen extends Sighting {
  /** Made with a handheld. */
  isByPerson: boolean;
}

/** Why a scan counts: the first of these that holds. */
export type Reason = 'person' | 'smoothing_off' | 'no_rival' | 'long_enough' | 'stronger';

/**
 * @param seen in any order. Near its ends the answer is right only if all scans within a window are included.
 * @returns those that count, sorted by time, one for each instant.
 */
export function countingScans(seen: readonly Seen[], settings: SmoothingSettings): Seen[] {
  const counting: Seen[] = [];
  for (const { scan, reason } of judge(seen, settings)) {
    if (reason !== null) {
      counting.push(scan);
    }
  }
  return counting;
}

/**
 * Says why the scan that is considered of an instant counts; {@link countingScans} goes by the same judgement.
 *
 * @param seen as there.
 * @returns null if it does not count, or there is none.
 */
export async function reasonAt(
  seen: readonly Seen[],
  settings: SmoothingSettings,
  at: Micros,
): Promise<Reason | null> {
  const turns = new Turns();
  for (const { scan, reason } of judge(seen, settings)) {
    if (scan.observedAt === at) {
      return reason;
    }
    if (turns.isOver) {
      await turns.next();
    }
  }
  return null;
}

/** Each instant's scan, in order of time, with null if it does not count. */
function* judge(
  seen: readonly Seen[],
  settings: SmoothingSettings,
): Generator<{ scan: Seen; reason: Reason | null }> {
  const scans = keptScans(seen, settings);
  const leads = new Leads(scans);
  let run = runFrom(scans, 0);
  for (const [index, scan] of scans.entries()) {
    if (index > run.end) {
      run = runFrom(scans, index);
    }
    yield { scan, reason: reasonOf(scan, { scans, index, run, leads, settings }) };
  }
}

interface Surroundings {
  scans: readonly Seen[];
  /** The scan's. */
  index: number;
  run: Run;
  leads: Leads;
  settings: SmoothingSettings;
}

function reasonOf(scan: Seen, { scans, index, run, leads, settings }: Surroundings): Reason | null {
  if (scan.isByPerson) {
    return 'person';
  }
  const smoothing = settings.at(scan.locationId, scan.observedAt);
  if (smoothing === null) {
    return 'smoothing_off';
  }
  if (isWithoutRival(scan, scans[run.start - 1], smoothing)) {
    return 'no_rival';
  }
  if (isLongEnough(scan, scans, run, smoothing)) {
    return 'long_enough';
  }
  return isStrongEnough(scans, index, leads, smoothing) ? 'stronger' : null;
}

/** Consecutive scans at one location, by index. */
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

/** @param rival the last scan before at another location. */
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

/** There is a rival in the window. */
function isStrongEnough(
  scans: readonly Seen[],
  index: number,
  leads: Leads,
  { window, margin }: Smoothing,
): boolean {
  if (margin === null) {
    return false;
  }
  const since: Micros = (scans[index]?.observedAt ?? 0) - window;
  const first = firstIndex(0, index, (each) => (scans[each]?.observedAt ?? since) >= since);
  return leads.of(index, first) >= margin;
}
