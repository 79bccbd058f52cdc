import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { type DatedExpectation, expectedAt } from './expectations.ts';
import { type Heard, type Interval, joined, outside, without } from './intervals.ts';

/** What is known of a reader's listening. Each list in order and apart. */
export interface ListeningEvidence {
  /** By the service's clock. */
  heard: readonly Heard[];
  /** First and last read of what it had buffered and sent later, by its own clock. */
  proven: readonly Heard[];
  /** By the service's clock; until infinity where it is not over. */
  disconnected: readonly Interval[];
  expectations: readonly DatedExpectation[];
}

/** A reader is taken to listen in it, and something proves that up to `provenUntil`; all of it if left out. */
export interface Listening extends Interval {
  provenUntil?: Micros;
}

/** Of a new reader, of which no longer gap is known. */
export const OF_NEW: Micros = 30 * MICROS_PER_SECOND;

/**
 * When a reader was listening, as far as anything proves it: from each message for as long as the next one may take, but
 * not while it was disconnected; and from each read that came late, also while it was. Wherever nothing proves it, it is
 * not known that anybody listened.
 *
 * A function of the evidence alone, which only grows: whatever the order in which it arrives, the times are the same.
 */
export function listeningTimes({ heard, proven, disconnected, expectations }: ListeningEvidence): Interval[] {
  const reach = ({ since, until }: Heard): Interval => ({
    since,
    until: until + (expectedAt(expectations, until) ?? OF_NEW),
  });
  const reachable = without(joined(heard.map(reach)), disconnected);
  return joined([...reachable, ...heard, ...outside(proven, heard).map(reach)]);
}

/**
 * {@link listeningTimes}, and up to when they are proven: by the last message or read in them. After that a reader is only
 * taken to listen until it would have said something, and may be dead.
 */
export function provenListening(evidence: ListeningEvidence): Listening[] {
  const last = [...evidence.heard, ...evidence.proven].map(({ until }) => until).sort((a, b) => a - b);
  let next = 0;
  return listeningTimes(evidence).map(({ since, until }) => {
    let provenUntil = since;
    for (; (last[next] ?? Number.POSITIVE_INFINITY) <= until; next += 1) {
      provenUntil = Math.max(since, last[next] ?? since);
    }
    return { since, until, provenUntil };
  });
}
