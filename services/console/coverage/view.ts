import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { KnownGaps } from './read-gaps.ts';
import { MOST_GAPS } from './schema.ts';

export function coverageView({ since, gaps, isCut }: KnownGaps) {
  const longest = gaps.toSorted((a, b) => b.until - b.since - (a.until - a.since)).slice(0, MOST_GAPS);
  return {
    from: wireTimeOfMicros(since),
    gaps: longest
      .toSorted((a, b) => a.since - b.since)
      .map(({ locationId, since: from, until: to }) => ({
        ...{ location_id: locationId, from: wireTimeOfMicros(from), to: wireTimeOfMicros(to) },
      })),
    is_cut: isCut || gaps.length > MOST_GAPS,
  };
}
