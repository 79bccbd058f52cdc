import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { CoveredClock } from '../../presence/coverage/covered-clock.ts';
import { type Interval, joined, within, without } from '../../presence/intervals.ts';
import { sideOf } from '../../tracking/reading-bound.ts';
import type { DatedRule } from '../rules/rule.ts';
import {
  type AssetEvidence,
  type KnownAlert,
  type MeasuredTag,
  type MissedSweep,
  type ReaderEvidence,
  type Stay,
  stayAt,
  type Unread,
} from './evidence.ts';
import { sideAt } from './load-measured.ts';
import { selectedTimes, watchedTimes } from './selected-times.ts';
import { type Held, type Stretch, stretchesFrom } from './stretch.ts';
import type { Clocked, Surroundings } from './surroundings.ts';

interface WhileUnread {
  unread: Unread;
  stay: Stay;
  during: readonly Interval[];
  /** The first to end of the sweeps that began since. */
  missedBy: MissedSweep | undefined;
}

/** A time in which a tag was beyond the bound, from the value on that said so until one that was back. */
interface Beyond extends Interval {
  tagId: number;
  value: number;
}

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

/**
 * When what any of an asset's tags measured was beyond the bound of a rule for longer than its threshold. A value counts until the
 * tag's next one, however long that takes, or until the tag is taken off.
 */
function beyondTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const { bound, ruleId, from } = rule;
  const selected = selectedTimes(rule, asset, around);
  const measured = bound.reading === null ? undefined : asset.measured?.get(bound.reading);
  if (bound.reading === null || measured === undefined || selected.length === 0) {
    return [];
  }
  const { reading, above, below } = bound;
  const after = rule.after ?? 0;
  const known = asset.known
    ?.get(ruleId)
    ?.find(({ since, until, asOf }) => since < asOf && (until ?? asOf + 1) > asOf && from < asOf);
  const times = [
    ...(known === undefined ? [] : timesBefore(known, rule, measured.tags)),
    ...measured.tags.flatMap((tag) => timesOf(rule, tag)),
  ];
  const first = new Map<Micros, Beyond>();
  for (const time of times) {
    const other = first.get(time.since);
    first.set(time.since, other !== undefined && other.tagId < time.tagId ? other : time);
  }
  return joined(times).map((course) => ({
    times: within(selected, joined([{ since: course.since + after, until: course.until }])),
    alarms: [],
    hasLevels: false,
    because: ({ since }) => ({
      ...{ kind: rule.kind as 'reading' | 'battery_low', reading, above, below },
      value: first.get(course.since)?.value ?? 0,
      tagId: first.get(course.since)?.tagId ?? 0,
      locationId: stayAt(asset.stays, since)?.locationId ?? null,
      from: course.since,
    }),
  }));
}

/**
 * An alert says that the asset was beyond the bound, however little of that time is looked at: it goes on with the
 * tags that were beyond then, or else with those whose side no reading tells.
 */
function timesBefore(
  { since, asOf }: KnownAlert,
  { bound, after }: DatedRule,
  tags: readonly MeasuredTag[],
): Beyond[] {
  const time = { since: since - (after ?? 0), until: asOf, value: 0, tagId: 0 };
  const bySide = Map.groupBy(tags, (tag) => sideAt(bound, tag, asOf));
  if (bySide.has('beyond')) {
    return [time];
  }
  const unknown = bySide.get('between') ?? [];
  const measured = unknown.filter(({ pieces }) => (pieces[0]?.at ?? Number.POSITIVE_INFINITY) <= asOf);
  const isThere = measured.length > 0 || unknown.length < tags.length;
  return (isThere ? measured : unknown).map(({ until, pieces }) => ({
    ...time,
    until: Math.min(until, pieces.find(({ value }) => sideOf(bound, value) !== 'between')?.at ?? until),
  }));
}

function timesOf({ bound, after }: DatedRule, { tagId, until, isCut, pieces }: MeasuredTag): Beyond[] {
  const times: Beyond[] = [];
  let since: { at: Micros; value: number } | null = null;
  for (const [index, { at, value }] of pieces.entries()) {
    const side = sideOf(bound, value);
    if (side === 'beyond' && since === null) {
      // It was beyond for longer than anybody can look back.
      since = { at: isCut && index === 0 ? at - (after ?? 0) : at, value };
    } else if (side === 'back' && since !== null) {
      times.push({ since: since.at, until: Math.min(at, until), value: since.value, tagId });
      since = null;
    }
  }
  return since === null ? times : [...times, { since: since.at, until, value: since.value, tagId }];
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

/**
 * When an asset was overdue or missing: from one read until the next, anywhere, once its location was covered for long
 * enough, even if it no longer is; or once a sweep did not find it, at a portal too.
 */
function overdueTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
  const selected = selectedTimes(rule, asset, around);
  if (selected.length === 0) {
    return [];
  }
  const missed = new FirstMissed(asset.missedBy);
  return asset.unread.flatMap((unread) => {
    const during = within(selected, [unread]);
    const stay = stayAt(asset.stays, unread.since);
    if (during.length === 0 || stay === undefined) {
      return [];
    }
    const missedBy = missed.since(unread.since, stay.locationId);
    return [heldWhileUnread(rule, asset, { unread, stay, during, missedBy }, around)];
  });
}

function heldWhileUnread(
  { ruleId, from, after, thenAfter }: DatedRule,
  { known }: AssetEvidence,
  { unread, stay, during, missedBy }: WhileUnread,
  around: Surroundings,
): Held {
  const { locationId } = stay;
  const clock = around.covered(locationId);
  const swept = missedBy === undefined ? [] : [{ since: missedBy.until, until: unread.until }];
  const watched = within(around.watched(locationId), [unread]);
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
      sweepId: missedBy && alarmSince !== null && missedBy.until <= alarmSince ? missedBy.sweepId : null,
    }),
  };
}

function unseenFor(clock: CoveredClock, { since, until }: Unread, threshold: Micros): Interval[] {
  return clock.elapsed(since, until) < threshold ? [] : [{ since: clock.reached(since, threshold), until }];
}

/** Finds the sweep that was the first to miss an asset, also among very many. */
export class FirstMissed {
  /** By location, sorted by begin; with each, the one among it and later ones that ends first. */
  readonly #byLocation: ReadonlyMap<number, readonly { began: Micros; first: MissedSweep }[]>;

  /** @param missedBy sorted by end. */
  constructor(missedBy: readonly MissedSweep[]) {
    this.#byLocation = new Map(
      [...Map.groupBy(missedBy, ({ locationId }) => locationId)].map(([id, own]) => [id, firstToEnd(own)]),
    );
  }

  /** The first to end of those that began after an instant. */
  since(instant: Micros, locationId: number): MissedSweep | undefined {
    const own = this.#byLocation.get(locationId) ?? [];
    return own[firstIndex(0, own.length, (at) => (own[at]?.began ?? 0) > instant)]?.first;
  }
}

function firstToEnd(sweeps: readonly MissedSweep[]): { began: Micros; first: MissedSweep }[] {
  let first: { sweep: MissedSweep; order: number } | undefined;
  return sweeps
    .map((sweep, order) => ({ sweep, order }))
    .toSorted((a, b) => b.sweep.since - a.sweep.since)
    .map((each) => {
      first = first === undefined || each.order < first.order ? each : first;
      return { began: each.sweep.since, first: first.sweep };
    })
    .toReversed();
}

/** When a reader was unreachable for longer than a threshold: silent or disconnected, also in turn. */
function unreachableTimes(rule: DatedRule, reader: ReaderEvidence, around: Surroundings): Held[] {
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
