import { firstIndex } from '../../../base/first-index.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { compareDeciding, type DecidingScan } from './deciding-scan.ts';
import type { MetricPosition } from './metric-position.ts';

/**
 * Tracking rules 1 and 2: history is a function of the set of an asset's scans. Sorted by time, with one scan kept of
 * each instant, every maximal run of scans at one location is a stay, and the first scan of a stay is a transition.
 * Nothing else enters: not the order of arrival, not the batches, not the clock of this process.
 */

/** The part of a scan that history depends on. */
export interface Sighting {
  observedAt: Micros;
  locationId: number;
  /** dBm; null is weaker than any. */
  rssi: number | null;
  /** The scan itself, for the transition it may decide; absent if deciding scans do not matter. */
  scan?: DecidingScan | null;
  /** The asset's position on a plan; absent or null if unknown. */
  position?: MetricPosition | null;
}

export interface Transition {
  observedAt: Micros;
  locationId: number;
  /** Whole seconds since the previous transition, rounded down; null on the first of an asset. */
  durationSeconds: number | null;
}

export interface DecidedTransition extends Transition {
  /** The scan that decided it; null if that is not known. */
  decidedBy: DecidingScan | null;
  /** From its sighting, if that has one. */
  position?: MetricPosition;
}

/** Time at one location without interruption; `since` is the instant of its transition. */
export interface Stay {
  locationId: number;
  since: Micros;
}

/**
 * @param sightings in any order. All of an asset's give its whole history.
 * @param before the stay that the sightings follow.
 */
export function history(sightings: readonly Sighting[], before: Stay | null = null): DecidedTransition[] {
  const transitions: DecidedTransition[] = [];
  let stay = before;
  for (const { observedAt, locationId, scan: decidedBy = null, position } of onePerInstant(sightings)) {
    if (locationId !== stay?.locationId) {
      const durationSeconds = stay === null ? null : wholeSeconds(stay.since, observedAt);
      const transition: DecidedTransition = { observedAt, locationId, durationSeconds, decidedBy };
      if (position) {
        transition.position = position;
      }
      transitions.push(transition);
      stay = { locationId, since: observedAt };
    }
  }
  return transitions;
}

/** @param transitions ascending. @returns null before the first of them. */
export function locationAt(transitions: readonly Transition[], at: Micros): number | null {
  const after = firstIndex(0, transitions.length, (index) => (transitions[index]?.observedAt ?? at) > at);
  return transitions[after - 1]?.locationId ?? null;
}

/** Rounded down. */
export function wholeSeconds(start: Micros, end: Micros): number {
  return Math.floor((end - start) / MICROS_PER_SECOND);
}

/**
 * Sorted by time, the strongest sighting of each instant; of equally strong ones that with the smallest location id
 * (tracking rule 1); of those as {@link compareDeciding} says.
 */
export function onePerInstant<Seen extends Sighting>(sightings: readonly Seen[]): readonly Seen[] {
  if (isAscending(sightings)) {
    return sightings;
  }
  const ordered = sightings.toSorted(byTimeThenStrength);
  return ordered.filter((sighting, index) => sighting.observedAt !== ordered[index - 1]?.observedAt);
}

/** True if each is later than the one before, as most readers send them. */
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
  return a.observedAt - b.observedAt || byStrength(a, b) || byScan(a, b);
}

function byScan({ scan: a = null }: Sighting, { scan: b = null }: Sighting): number {
  return a === null || b === null ? 0 : compareDeciding(a, b);
}

/** Negative if `a` wins their common instant. */
function byStrength(a: Sighting, b: Sighting): number {
  return compareRssi(b.rssi, a.rssi) || a.locationId - b.locationId;
}

/** True if `a`, rather than `b`, says where the asset is. */
export function isLater(a: Sighting, b: Sighting): boolean {
  return a.observedAt === b.observedAt ? byStrength(a, b) < 0 : a.observedAt > b.observedAt;
}

/** Negative if `a` is weaker than `b`. Null is weakest. */
export function compareRssi(a: number | null, b: number | null): number {
  if (a === null || b === null) {
    return Number(a !== null) - Number(b !== null);
  }
  return a - b;
}
