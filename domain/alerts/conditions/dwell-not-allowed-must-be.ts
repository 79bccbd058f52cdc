import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined, within, without } from '../../presence/intervals.ts';
import type { DatedRule } from '../rules/rule.ts';
import { type AssetEvidence, stayAt } from './evidence.ts';
import { selectedTimes } from './selected-times.ts';
import type { Held } from './stretch.ts';
import type { Clocked, Surroundings } from './surroundings.ts';

/** When an asset stayed longer than the first threshold of a rule, and than the second. */
export function dwellTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const first = rule.after ?? rule.thenAfter ?? 0;
  const thresholds = { first, second: rule.thenAfter ?? first };
  return held(rule, asset, around, thresholds, () => visits(rule, asset, around));
}

export function notAllowedTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const thresholds = { first: rule.after ?? 0, second: null };
  return held(rule, asset, around, thresholds, () => visits(rule, asset, around));
}

/**
 * When it was elsewhere within working hours. Time elsewhere counts in these hours only, from one day to the next; time
 * more than 31 days before the window does not count.
 */
export function mustBeTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const thresholds = { first: rule.after ?? 0, second: null };
  const absences = () => without(joined(asset.stays), visits(rule, asset, around));
  return held(rule, asset, around, thresholds, absences);
}

function visits(
  { locationId }: DatedRule,
  { stays }: AssetEvidence,
  around: Surroundings,
): readonly Interval[] {
  return locationId === null ? stays : around.inSubtree(locationId, stays);
}

function held(
  rule: DatedRule,
  asset: AssetEvidence,
  around: Surroundings,
  { first, second }: { first: Micros; second: Micros | null },
  courses: () => readonly Interval[],
): Held[] {
  const selected = selectedTimes(rule, asset, around);
  const open = rule.hours === null || selected.length === 0 ? null : around.open(rule.hours);
  const counted = open === null ? selected : within(selected, open.times);
  if (counted.length === 0) {
    return [];
  }
  return courses().map((course) => ({
    times: within(counted, passed(course, first, open)),
    alarms: second === null ? [] : within(counted, passed(course, second, open)),
    hasLevels: rule.kind === 'dwell',
    because: ({ since }) => ({
      kind: rule.kind as 'dwell' | 'not_allowed' | 'must_be',
      locationId: stayAt(asset.stays, since)?.locationId ?? 0,
      from: course.since,
    }),
  }));
}

function passed({ since, until }: Interval, threshold: Micros, open: Clocked | null): Interval[] {
  const reached = open === null ? since + threshold : Math.max(since, open.clock.reached(since, threshold));
  return reached < until ? [{ since: reached, until }] : [];
}
