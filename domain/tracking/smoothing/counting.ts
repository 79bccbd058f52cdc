import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Proof } from '../history/deciding-scan.ts';
import type { Sighting } from '../history/history.ts';
import { keptScans } from './kept.ts';
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
export type Reason = 'person' | 'smoothing_off' | Proof;

/**
 * @param seen in any order. Near its ends the answer is right only if all scans within a window are included.
 * @returns those that count, sorted by time, one for each instant.
 */
export function countingScans(seen: readonly Seen[], settings: SmoothingSettings): Seen[] {
  const counting: Seen[] = [];
  judge(seen, settings, (scan, reason) => {
    if (reason !== null) {
      counting.push(scan);
    }
  });
  return counting;
}

/** As {@link countingScans}, each with its proof where one was asked for. */
export function provenScans(seen: readonly Seen[], settings: SmoothingSettings): Proven[] {
  const proven: Proven[] = [];
  judge(seen, settings, (scan, reason) => {
    if (reason !== null) {
      proven.push({ scan, proof: reason === 'person' || reason === 'smoothing_off' ? null : reason });
    }
  });
  return proven;
}

export interface Proven {
  scan: Seen;
  proof: Proof | null;
}

/** A sighting whose scan, if it decides a transition, is kept with the proof. */
export function asSighting({ scan, proof }: Proven): Sighting {
  return proof === null || !scan.scan ? scan : { ...scan, scan: { ...scan.scan, proof } };
}

/**
 * Says why the scan that is considered of an instant counts; {@link countingScans} goes by the same judgement.
 *
 * @param seen as there.
 * @returns null if it does not count, or there is none.
 */
export function reasonAt(seen: readonly Seen[], settings: SmoothingSettings, at: Micros): Reason | null {
  let found: Reason | null = null;
  judge(seen, settings, ({ observedAt }, reason) => {
    found = observedAt === at ? reason : found;
  });
  return found;
}

/** @param take called for each instant's scan, in order of time, with null if it does not count. */
function judge(
  seen: readonly Seen[],
  settings: SmoothingSettings,
  take: (scan: Seen, reason: Reason | null) => void,
): void {
  const scans = keptScans(seen, settings);
  const strongest = new Map<number, StrongestSince>();
  let run = runFrom(scans, 0);
  for (const [index, scan] of scans.entries()) {
    if (index > run.end) {
      run = runFrom(scans, index);
    }
    const ofLocation = strongest.get(scan.locationId) ?? new StrongestSince();
    ofLocation.add(scan.observedAt, scan.rssi);
    strongest.set(scan.locationId, ofLocation);
    take(scan, reasonOf(scan, { scans, run, strongest, settings }));
  }
}

interface Surroundings {
  scans: readonly Seen[];
  /** The scan's. */
  run: Run;
  /** By location, of the scans up to this one. */
  strongest: ReadonlyMap<number, StrongestSince>;
  settings: SmoothingSettings;
}

function reasonOf(scan: Seen, { scans, run, strongest, settings }: Surroundings): Reason | null {
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
  return isStrongEnough(scan, strongest, smoothing) ? 'stronger' : null;
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
  return [...strongest].every(([each, reads]) => {
    const there = each === locationId ? null : reads.since(since);
    return there === null || (Number.isFinite(there) && here - there >= margin);
  });
}

/**
 * The strongest read of a location since any time, as a monotonic queue: reads come in order of time, and each removes
 * those before it that are no stronger. So strengths fall with time, and the first read since a time is the strongest.
 */
class StrongestSince {
  readonly #reads: { observedAt: Micros; dBm: number }[] = [];

  add(observedAt: Micros, rssi: number | null): void {
    const dBm = rssi ?? Number.NEGATIVE_INFINITY;
    while ((this.#reads.at(-1)?.dBm ?? Number.POSITIVE_INFINITY) <= dBm) {
      this.#reads.pop();
    }
    this.#reads.push({ observedAt, dBm });
  }

  /** dBm; -Infinity if no read had an RSSI; null if there was no read. */
  since(start: Micros): number | null {
    const first = firstIndex(
      0,
      this.#reads.length,
      (index) => (this.#reads[index]?.observedAt ?? start) >= start,
    );
    return this.#reads[first]?.dBm ?? null;
  }
}
