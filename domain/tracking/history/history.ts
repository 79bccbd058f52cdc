import { firstIndex } from '../../../base/first-index.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';

/**
 * History is a function of the set of an asset's scans. Ordered by time, with one scan kept of each instant, every
 * maximal run of scans at one location is a stay, and the first scan of a stay is a transition. Nothing else enters:
 * not the order of arrival, not the batches, not the clock of this process.
 */

/** What history takes from a scan. */
export interface Sighting {
  observedAt: Micros;
  locationId: number;
  /** dBm; null is weaker than any. */
  rssi: number | null;
}

export interface Transition {
  observedAt: Micros;
  locationId: number;
  /** Whole seconds since the previous transition, rounded down; null on the first of an asset. */
  durationSeconds: number | null;
}

/** The stay that was under way before the sightings at hand: its place, and the transition that began it. */
export interface Stay {
  locationId: number;
  since: Micros;
}

/**
 * The transitions that `sightings`, in any order, make after `before`; all of the asset's sightings and no `before`
 * give its whole history.
 */
export function history(sightings: readonly Sighting[], before: Stay | null = null): Transition[] {
  const transitions: Transition[] = [];
  let stay = before;
  for (const { observedAt, locationId } of onePerInstant(sightings)) {
    if (locationId !== stay?.locationId) {
      const durationSeconds = stay === null ? null : wholeSeconds(stay.since, observedAt);
      transitions.push({ observedAt, locationId, durationSeconds });
      stay = { locationId, since: observedAt };
    }
  }
  return transitions;
}

/** Where the asset was at an instant; null before the first of `transitions`, which ascend. */
export function locationAt(transitions: readonly Transition[], at: Micros): number | null {
  const after = firstIndex(0, transitions.length, (index) => (transitions[index]?.observedAt ?? at) > at);
  return transitions[after - 1]?.locationId ?? null;
}

/** Whole seconds from `start` to `end`, rounded down. */
export function wholeSeconds(start: Micros, end: Micros): number {
  return Math.floor((end - start) / MICROS_PER_SECOND);
}

/** In order of time, the strongest sighting of each instant; of equally strong ones the smallest location id. */
export function onePerInstant<Seen extends Sighting>(sightings: readonly Seen[]): readonly Seen[] {
  if (isAscending(sightings)) {
    return sightings;
  }
  const ordered = sightings.toSorted(byTimeThenStrength);
  return ordered.filter((sighting, index) => sighting.observedAt !== ordered[index - 1]?.observedAt);
}

/** Whether each is later than the one before, as most readers send them. */
function isAscending(sightings: readonly Sighting[]): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (const { observedAt } of sightings) {
    if (observedAt <= last) {
      return false;
    }
    last = observedAt;
  }
  return true;
}

function byTimeThenStrength(a: Sighting, b: Sighting): number {
  return a.observedAt - b.observedAt || byStrength(a, b);
}

/** Negative if `a` goes before `b`: it is the one that is kept where both are of one instant. */
function byStrength(a: Sighting, b: Sighting): number {
  return compareRssi(b.rssi, a.rssi) || a.locationId - b.locationId;
}

/** Whether `a` says where the asset is, rather than `b`. */
export function isLater(a: Sighting, b: Sighting): boolean {
  return a.observedAt === b.observedAt ? byStrength(a, b) < 0 : a.observedAt > b.observedAt;
}

/** Negative if `a` is weaker than `b`, positive if stronger, 0 if equal. None is weakest. */
export function compareRssi(a: number | null, b: number | null): number {
  if (a === null || b === null) {
    return Number(a !== null) - Number(b !== null);
  }
  return a - b;
}
