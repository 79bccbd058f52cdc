import { append } from '../../../base/append.ts';
import type { Micros } from '../../../base/instant.ts';
import { type DecidedTransition, history, type Sighting, type Stay, wholeSeconds } from './history.ts';
import type { ObservedPosition } from './metric-position.ts';

/**
 * The time from a changed scan to the next at which the asset was seen. A change has no effect outside: whether a scan
 * is a transition depends only on its own location and that of the scan before it.
 */
export interface Span {
  /** The instant of a scan that is new or has changed. */
  from: Micros;
  /** The next instant at which the asset was seen; `from` if there is none. */
  to: Micros;
  /** Every sighting of the asset from `from` to `to`, both included. */
  sightings: readonly Sighting[];
}

/** What {@link revise} needs of one asset: the spans of its changed scans, and the stored transitions around them. */
export interface Neighbourhood {
  spans: Span[];
  stored: DecidedTransition[];
  /** The asset's newest position on a plan: null for none any more; left out if it has not changed. */
  newest?: ObservedPosition | null | undefined;
}

/**
 * Tracking rule 2: revises a history span by span, at a cost that does not grow with its length.
 *
 * 1. Spans that overlap or touch are merged.
 * 2. Stored transitions outside spans are kept. Those within a span are replaced by the history of its sightings, which
 *    follows the last transition before it.
 * 3. The duration of the first transition after a span is computed again.
 *
 * A late read at B between two at A:
 *
 *     scans      10:00 A   10:02 B      10:05 A      10:10 B
 *     span                 [------------------]
 *     stored     10:00 A                             10:10 B 600 s
 *     revised    10:00 A   10:02 B 120  10:05 A 180  10:10 B 300 s
 *
 * @param stored ascending: for every span all transitions within it, the last before and the first after it. Others may
 *   be left out.
 */
export function revise(stored: readonly DecidedTransition[], spans: readonly Span[]): DecidedTransition[] {
  const revised: DecidedTransition[] = [];
  let index = 0;
  let followsSpan = false;
  const keepBefore = (end: Micros) => {
    for (let kept = stored[index]; kept !== undefined && kept.observedAt < end; kept = stored[++index]) {
      revised.push(followsSpan ? withDurationSince(revised.at(-1), kept) : kept);
      followsSpan = false;
    }
  };
  for (const { from, to, sightings } of merge(spans)) {
    keepBefore(from);
    while ((stored[index]?.observedAt ?? Number.POSITIVE_INFINITY) <= to) {
      index++;
    }
    append(revised, history(sightings, asStay(revised.at(-1))));
    followsSpan = true;
  }
  keepBefore(Number.POSITIVE_INFINITY);
  return revised;
}

function withDurationSince(
  previous: DecidedTransition | undefined,
  transition: DecidedTransition,
): DecidedTransition {
  const durationSeconds =
    previous === undefined ? null : wholeSeconds(previous.observedAt, transition.observedAt);
  return { ...transition, durationSeconds };
}

function asStay(transition: DecidedTransition | undefined): Stay | null {
  return transition === undefined
    ? null
    : { locationId: transition.locationId, since: transition.observedAt };
}

/** Sorted by time; spans that overlap or touch become one. */
function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && span.from <= last.to) {
      last.to = Math.max(last.to, span.to);
      last.sightings = [...last.sightings, ...span.sightings];
    } else {
      merged.push({ ...span });
    }
  }
  return merged;
}
