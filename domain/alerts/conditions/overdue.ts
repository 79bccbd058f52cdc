import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { CoveredClock } from '../../presence/coverage/covered-clock.ts';
import { type Interval, joined, within } from '../../presence/intervals.ts';
import type { DatedRule } from '../rules/rule.ts';
import { type AssetEvidence, type MissedSweep, type Stay, stayAt, type Unread } from './evidence.ts';
import { selectedTimes } from './selected-times.ts';
import type { Held } from './stretch.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * When an asset was overdue or missing: from one read until the next, anywhere, once its location was covered for long
 * enough, even if it no longer is; or once a sweep did not find it, at a portal too.
 */
export function overdueTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
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

interface WhileUnread {
  unread: Unread;
  stay: Stay;
  during: readonly Interval[];
  /** The first to end of the sweeps that began since. */
  missedBy: MissedSweep | undefined;
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
