import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { type DatedExpectation, expectedAt } from '../expectations.ts';
import { type Heard, type Interval, joined, outside, within, without } from '../intervals.ts';

/** Evidence of a reader's listening. Each list is sorted and disjoint. */
export interface ListeningEvidence {
  /** By the service's clock. */
  heard: readonly Heard[];
  /** First and last read of each late message, by the reader's clock. */
  proven: readonly Heard[];
  /** By the service's clock; infinite if not over. */
  disconnected: readonly Interval[];
  /** When its messages came late, by the service's clock. Absent if never. */
  delayed?: readonly Interval[];
  /** Since when no message came in time after that, infinite. Absent if none. */
  behind?: readonly Interval[];
  expectations: readonly DatedExpectation[];
}

/** When a reader listened; sorted and disjoint. */
export interface Listening {
  /** Up to its last message, or read: after that it may be dead. */
  proven: readonly Interval[];
  /** Up to how long it may be silent after its last message. */
  taken: readonly Interval[];
  /**
   * As `taken`, but going on while the reader is heard and its messages are late: its own time goes on, by an unknown
   * delay. Absent if equal to `taken`.
   */
  goesOn?: readonly Interval[];
}

/** For a new reader, whose longest gap is unknown. */
export const OF_NEW: Micros = 30 * MICROS_PER_SECOND;

/**
 * When a reader provably listened: from each message for as long as the next one may take, except
 * while disconnected; and from each late read, even while disconnected. Otherwise it is unknown whether it listened.
 * While messages come late, because the clock is behind or a buffer is replayed, they prove nothing about the time of
 * reception: then only the reads prove listening, at their own times. Depends on the evidence alone, not on the order
 * of its arrival.
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

/** Each time cut after the last message, or read, in it. */
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
