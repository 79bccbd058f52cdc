import { joined, within } from '../../presence/intervals.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { ReaderEvidence } from './evidence.ts';
import { watchedTimes } from './selected-times.ts';
import type { Held } from './stretch.ts';
import type { Surroundings } from './surroundings.ts';

/** When a reader was unreachable for longer than a threshold: silent or disconnected, also in turn. */
export function unreachableTimes(rule: DatedRule, reader: ReaderEvidence, around: Surroundings): Held[] {
  const watched = watchedTimes(rule, reader, around);
  const disconnected = new Set(
    reader.spans.filter(({ state }) => state === 'disconnected').map(({ since }) => since),
  );
  return joined(reader.spans).map(({ since, until }) => ({
    times: within(watched, joined([{ since: since + (rule.after ?? 0), until }])),
    alarms: [],
    hasLevels: false,
    because: () => ({
      kind: 'reader',
      state: disconnected.has(since) ? 'disconnected' : 'silent',
      from: since,
    }),
  }));
}
