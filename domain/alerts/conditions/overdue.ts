import type { Micros } from '../../../base/instant.ts';
import type { CoveredClock } from '../../presence/coverage/covered-clock.ts';
import { continuousPeriods } from '../../presence/coverage/watches.ts';
import { type Interval, joined, within } from '../../presence/intervals.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { AssetEvidence, Stay, Unread } from './evidence.ts';
import type { Held } from './held.ts';
import { selectedTimes } from './selected-times.ts';
import { stayAt } from './stay-at.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * When an asset was overdue or missing: from one read until the next, wherever that was, once its place was covered for so
 * long, though it is not any more; or once a sweep did not find it, at a portal too.
 */
export function overdueTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const selected = selectedTimes(rule, asset, around);
  return selected.length === 0
    ? []
    : asset.unread.flatMap((unread) => {
        const during = within(selected, [unread]);
        const stay = stayAt(asset.stays, unread.since);
        return during.length === 0 || stay === undefined
          ? []
          : [heldWhileUnread(rule, asset, { unread, stay, during }, around)];
      });
}

function heldWhileUnread(
  { ruleId, from, after, thenAfter }: DatedRule,
  { missedBy, known }: AssetEvidence,
  { unread, stay, during }: { unread: Unread; stay: Stay; during: readonly Interval[] },
  around: Surroundings,
): Held {
  const { locationId } = stay;
  const clock = around.covered(locationId);
  const sweeps = missedBy.filter((sweep) => sweep.locationId === locationId && sweep.since > unread.since);
  const swept = sweeps.map(({ until }) => ({ since: until, until: unread.until }));
  const watched = joined(continuousPeriods(around.watches(locationId), unread));
  const unseen = (threshold: Micros | null) =>
    threshold === null || watched.length === 0 ? [] : within(watched, unseenFor(clock, unread, threshold));
  const before = known
    ?.get(ruleId)
    ?.find(({ since, asOf }) => unread.since <= since && since < unread.until && from < asOf);
  const knownFrom = (since: Micros | null | undefined) =>
    since == null ? [] : within(watched, [{ since, until: unread.until }]);
  const alarms = joined([...swept, ...unseen(thenAfter), ...knownFrom(before?.missingSince)]);
  const times = joined([...alarms, ...unseen(after), ...knownFrom(before?.since)]);
  return {
    times: within(times, during),
    alarms: within(alarms, during),
    hasLevels: false,
    because: ({ alarmSince }) => ({
      ...{ kind: 'overdue', locationId, lastSeen: unread.since },
      state: alarmSince === null ? 'overdue' : 'missing',
      sweepId: sweeps.find(({ until }) => alarmSince !== null && until <= alarmSince)?.sweepId ?? null,
    }),
  };
}

function unseenFor(clock: CoveredClock, { since, until }: Unread, threshold: Micros): Interval[] {
  return clock.elapsed(since, until) < threshold ? [] : [{ since: clock.reached(since, threshold), until }];
}
