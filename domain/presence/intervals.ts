import type { Micros } from '../../base/instant.ts';

/** From `since`, without `until`. */
export interface Interval {
  since: Micros;
  until: Micros;
}

/** First and last message, or read, of a stretch: between them no gap is longer than any expectation. */
export interface Heard {
  since: Micros;
  until: Micros;
}

/** The times in any of them: in order, apart, none empty. */
export function joined(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals
    .filter(({ since, until }) => until > since)
    .toSorted((a, b) => a.since - b.since || a.until - b.until);
  const result: Interval[] = [];
  for (const { since, until } of sorted) {
    const last = result.at(-1);
    if (last !== undefined && since <= last.until) {
      last.until = Math.max(last.until, until);
    } else {
      result.push({ since, until });
    }
  }
  return result;
}

/** @param from in order and apart, as is `what`. */
export function without(from: readonly Interval[], what: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { since, until } of from) {
    let begin = since;
    for (const cut of what) {
      if (cut.until > begin && cut.since < until) {
        result.push({ since: begin, until: Math.min(cut.since, until) });
        begin = Math.min(cut.until, until);
      }
    }
    result.push({ since: begin, until });
  }
  return result.filter((each) => each.until > each.since);
}
