import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined, within, without } from '../../presence/intervals.ts';
import type { DatedRule } from '../rules/rule.ts';
import { beyondTimes } from './beyond-bound.ts';
import type { AssetEvidence, ReaderEvidence } from './evidence.ts';
import { type Held, stretchesFrom } from './held.ts';
import { overdueTimes } from './overdue.ts';
import { selectedTimes, watchedTimes } from './selected-times.ts';
import { stayAt } from './stay-at.ts';
import type { Stretch } from './stretch.ts';
import type { Clocked, Surroundings } from './surroundings.ts';

const OF_ASSETS = {
  overdue: overdueTimes,
  dwell: dwellTimes,
  not_allowed: notAllowedTimes,
  must_be: mustBeTimes,
  reading: beyondTimes,
  battery_low: beyondTimes,
};

/**
 * When the condition of a rule held for an asset or a reader: the stretches that reach into the window, sorted and
 * disjoint. Depends on the evidence alone, not on the order of its arrival.
 *
 * @param versions all of one rule, in order.
 */
export function stretchesOf(
  versions: readonly DatedRule[],
  subject: AssetEvidence | ReaderEvidence,
  around: Surroundings,
): Stretch[] {
  return stretchesFrom(
    versions.flatMap((rule) => heldUnder(rule, subject, around)),
    around.window,
  );
}

function heldUnder(
  rule: DatedRule,
  subject: AssetEvidence | ReaderEvidence,
  around: Surroundings,
): readonly Held[] {
  if ('readerId' in subject) {
    return rule.kind === 'reader' ? unreachableTimes(rule, subject, around) : [];
  }
  return rule.kind === 'reader' ? [] : OF_ASSETS[rule.kind](rule, subject, around);
}

/** When an asset stayed longer than the first threshold of a rule, and than the second. */
function dwellTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const first = rule.after ?? rule.thenAfter ?? 0;
  const thresholds = { first, second: rule.thenAfter ?? first };
  return held(rule, asset, around, thresholds, () => visits(rule, asset, around));
}

function notAllowedTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const thresholds = { first: rule.after ?? 0, second: null };
  return held(rule, asset, around, thresholds, () => visits(rule, asset, around));
}

/**
 * When it was elsewhere within working hours. Time elsewhere counts in these hours only, from one day to the next; time
 * more than 31 days before the window does not count.
 */
function mustBeTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
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
