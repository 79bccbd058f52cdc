import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { type DatedExpectation, expectedAt } from './expectations.ts';
import { type Heard, type Interval, joined, outside, within, without } from './intervals.ts';

/** Facts about a reader's listening. Each list in order and apart. */
export interface ListeningEvidence {
  /** By the service's clock. */
  heard: readonly Heard[];
  /** First and last read of what came late, by its own clock. */
  proven: readonly Heard[];
  /** By the service's clock; until infinity where it is not over. */
  disconnected: readonly Interval[];
  /** When what it sent came late, by the service's clock. None if left out. */
  delayed?: readonly Interval[];
  /** Since when nothing came in time after that, until infinity. None if left out. */
  behind?: readonly Interval[];
  expectations: readonly DatedExpectation[];
}

/** When a reader listened; in order and apart. */
export interface Listening {
  /** Up to its last message, or read: after that it may be dead. */
  proven: readonly Interval[];
  /** As long after that as it may say nothing. */
  taken: readonly Interval[];
  /**
   * Beside `taken`, as long as it is heard while nothing comes in time: its own time goes on, though nobody knows by how much
   * it is behind just now. Left out where it is as `taken`.
   */
  goesOn?: readonly Interval[];
}

/** For a new reader, whose longest gap is not known yet. */
export const OF_NEW: Micros = 30 * MICROS_PER_SECOND;

/**
 * When a reader was listening, as far as anything proves it: from each message for as long as the next one may take, but
 * not while it was disconnected; and from each read that came late, also while it was. Wherever nothing proves it, it is
 * not known that anybody listened.
 *
 * While what it sends comes late, because its clock is behind or because it had been buffered, to hear it says nothing of
 * when it listened: what it reads now is yet to come, or counts as of another time. Then its reads alone prove that, at the
 * times that they count as of.
 *
 * A function of the evidence alone, whatever the order in which that arrives.
 */
export function listeningOf(evidence: ListeningEvidence): Listening {
  const { proven, disconnected, expectations, delayed = [], behind = [] } = evidence;
  const reach = ({ since, until }: Heard): Interval => ({
    since,
    until: until + (expectedAt(expectations, until) ?? OF_NEW),
  });
  const heard = heardOutside(evidence.heard, delayed);
  const late = outside(proven, heard);
  const byLate = late.map(reach);
  const known = (stretches: readonly Heard[]) =>
    joined([...without(joined(stretches.map(reach)), disconnected), ...stretches, ...byLate]);
  const all = known(heard);
  // The last in time before a delay may say nothing as long as any other.
  const begins = new Set(delayed.map(({ since }) => since));
  const lastInTime = heard.flatMap(({ until }) => (begins.has(until) ? [{ since: until, until }] : []));
  const sure = known(lastInTime);
  const taken = joined([...without(all, joined([...delayed, ...behind])), ...sure]);
  return {
    proven: joined([
      ...without(upToLast(all, [...heard, ...proven]), delayed),
      ...upToLast(sure, [...lastInTime, ...late]),
    ]),
    taken,
    ...(behind.length > 0 && {
      goesOn: joined([...taken, ...within(without(joined(evidence.heard.map(reach)), disconnected), behind)]),
    }),
  };
}

/** Each up to the last message, or read, in it. */
function upToLast(times: readonly Interval[], evidence: readonly Heard[]): Interval[] {
  const last = evidence.map(({ until }) => until).sort((a, b) => a - b);
  let next = 0;
  return joined(
    times.map(({ since, until }) => {
      let provenUntil = since;
      for (; (last[next] ?? Number.POSITIVE_INFINITY) <= until; next += 1) {
        provenUntil = Math.max(since, last[next] ?? since);
      }
      return { since, until: provenUntil };
    }),
  );
}

/** The rest of stretches, single messages too: the first and the last message of a pause are outside of it. */
function heardOutside(stretches: readonly Heard[], pauses: readonly Interval[]): Heard[] {
  if (pauses.length === 0) {
    return [...stretches];
  }
  let next = 0;
  return stretches.flatMap(({ since, until }) => {
    const pieces: Heard[] = [];
    let begin = since;
    while ((pauses[next]?.until ?? Number.POSITIVE_INFINITY) < since) {
      next += 1;
    }
    for (let at = next; at < pauses.length; at += 1) {
      const pause = pauses[at];
      if (pause === undefined || pause.since >= until) {
        break;
      }
      if (pause.since >= begin) {
        pieces.push({ since: begin, until: pause.since });
      }
      begin = Math.max(begin, pause.until);
    }
    return begin <= until ? [...pieces, { since: begin, until }] : pieces;
  });
}
