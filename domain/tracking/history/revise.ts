import type { Micros } from '../../../base/instant.ts';
import { history, type Sighting, type Stay, type Transition, wholeSeconds } from './history.ts';

/**
 * A late scan touches its own instant and the next at which the asset was seen, and nothing else: whether a scan is
 * a transition depends on its own place and that of the scan before it. So history is revised window by window, at a
 * cost that does not grow with its length.
 */
export interface Window {
  /** The instant of a scan that is new or has changed. */
  from: Micros;
  /** The next instant at which the asset was seen; `from` if there is none. */
  to: Micros;
  /** Every sighting of the asset from `from` to `to`, both included. */
  sightings: readonly Sighting[];
}

/** All that {@link revise} needs to know of one asset. */
export interface Neighbourhood {
  windows: Window[];
  stored: Transition[];
}

/**
 * The transitions after the scans in `windows` were added or changed.
 *
 * @param stored the asset's transitions as they stand, ascending: for every window all within it, the last before it
 *   and the first after it. Others may be left out.
 * @returns `stored` revised: what lies in a window replaced, and the duration of what follows one counted anew.
 */
export function revise(stored: readonly Transition[], windows: readonly Window[]): Transition[] {
  const revised: Transition[] = [];
  let position = 0;
  let followsWindow = false;
  const keepBefore = (end: Micros) => {
    for (
      let kept = stored[position];
      kept !== undefined && kept.observedAt < end;
      kept = stored[++position]
    ) {
      revised.push(followsWindow ? withDurationSince(revised.at(-1), kept) : kept);
      followsWindow = false;
    }
  };
  for (const { from, to, sightings } of merge(windows)) {
    keepBefore(from);
    while ((stored[position]?.observedAt ?? Number.POSITIVE_INFINITY) <= to) {
      position++;
    }
    revised.push(...history(sightings, asStay(revised.at(-1))));
    followsWindow = true;
  }
  keepBefore(Number.POSITIVE_INFINITY);
  return revised;
}

function withDurationSince(previous: Transition | undefined, transition: Transition): Transition {
  const durationSeconds =
    previous === undefined ? null : wholeSeconds(previous.observedAt, transition.observedAt);
  return { ...transition, durationSeconds };
}

function asStay(transition: Transition | undefined): Stay | null {
  return transition === undefined
    ? null
    : { locationId: transition.locationId, since: transition.observedAt };
}

/** Windows in order of time, those that overlap or touch made one. */
function merge(windows: readonly Window[]): Window[] {
  const merged: Window[] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && window.from <= last.to) {
      last.to = Math.max(last.to, window.to);
      last.sightings = [...last.sightings, ...window.sightings];
    } else {
      merged.push({ ...window });
    }
  }
  return merged;
}
