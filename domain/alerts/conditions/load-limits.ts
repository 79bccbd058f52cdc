import { eachInTurns } from '../../../base/each-in-turns.ts';
import type { Micros } from '../../../base/instant.ts';
import { LeastFirst } from '../../../base/least-first.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { DatedLimits, Limit } from '../../presence/coverage/limits.ts';
import { LOOKS_BACK } from '../../presence/coverage/load-places.ts';
import type { Interval } from '../../presence/intervals.ts';
import { loadOverdueRules } from '../rules/load-rules.ts';
import type { DatedRule, Selection } from '../rules/rule.ts';
import type { AssetEvidence } from './evidence.ts';
import { loadDescribed } from './load-described.ts';
import { loadSubtrees } from './load-subtrees.ts';
import { selectedTimes } from './selected-times.ts';
import { Surroundings } from './surroundings.ts';

/** An asset that has been at a location all through a window. */
interface Placed {
  assetId: number;
  locationId: number;
}

/** The limits of `overdue` rules for assets in a window. Rules for all assets are derived once per location. */
export async function loadLimits(
  db: Connection,
  orgId: number,
  assets: readonly Placed[],
  window: Interval,
): Promise<(assetId: number) => readonly DatedLimits[]> {
  const ids = assets.map(({ assetId }) => assetId);
  const rules = await loadOverdueRules(db, orgId, ids, window);
  if (rules.length === 0) {
    return () => [];
  }
  const [general, particular] = [rules.filter(isOfAll), rules.filter((rule) => !isOfAll(rule))];
  const named = rulesByAsset(particular);
  const described = particular.filter(({ selection }) => !hasAny(selection.assetIds));
  const roots = rules.flatMap(({ selection }) => selection.withinLocationId ?? []);
  const locationIds = [...new Set(assets.map(({ locationId }) => locationId))];
  const subtrees = await loadSubtrees(db, orgId, [...new Set(roots)], locationIds);
  const texts = await loadDescribed(
    db,
    orgId,
    assets.map(({ assetId }) => assetId),
    rules.flatMap(({ selection }) => selection.metadata.map(({ path }) => path)),
    Math.max(window.since, window.until - LOOKS_BACK),
  );
  const around = new Surroundings({ window, coveredFrom: window.since, subtrees, places: new Map() });
  const byLocation = new Map(
    await eachInTurns(locationIds, (locationId) => {
      const times = timesOf(general, { ...PLACELESS, stays: [{ locationId, ...EVER }] }, around);
      return [locationId, { times, limits: limitsOf(times) }] as const;
    }),
  );
  const placed = new Map(assets.map(({ assetId, locationId }) => [assetId, locationId]));
  return (assetId) => {
    const locationId = placed.get(assetId) ?? 0;
    const of = { ...PLACELESS, assetId, described: texts.get(assetId) ?? new Map() };
    const candidates = [...described, ...(named.get(assetId) ?? [])];
    const own = timesOf(candidates, { ...of, stays: [{ locationId, ...EVER }] }, around);
    const all = byLocation.get(locationId);
    return own.length === 0 ? (all?.limits ?? []) : limitsOf([...(all?.times ?? []), ...own]);
  };
}

const EVER: Interval = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

const PLACELESS: AssetEvidence = {
  ...{ assetId: 0, until: Number.POSITIVE_INFINITY, stays: [], unread: [], missedBy: [] },
  described: new Map(),
};

function timesOf(rules: readonly DatedRule[], asset: AssetEvidence, around: Surroundings): LimitedTime[] {
  return rules.flatMap((rule) => selectedTimes(rule, asset, around).map((time) => ({ ...time, rule })));
}

function isOfAll({ selection: { assetIds, metadata } }: { selection: Selection }): boolean {
  return !hasAny(assetIds) && metadata.length === 0;
}

function hasAny(ids: readonly number[] | null): boolean {
  return ids !== null && ids.length > 0;
}

/** Those that name assets, by asset: 200 rules may name 1,000 each. */
function rulesByAsset(rules: readonly DatedRule[]): ReadonlyMap<number, readonly DatedRule[]> {
  const byAsset = new Map<number, DatedRule[]>();
  for (const rule of rules) {
    for (const id of rule.selection.assetIds ?? []) {
      const own = byAsset.get(id) ?? [];
      byAsset.set(id, own);
      own.push(rule);
    }
  }
  return byAsset;
}

/** When a version of a rule was about an asset. */
export interface LimitedTime extends Interval {
  rule: DatedRule;
}

/** The smallest thresholds of all rules, from each instant at which one begins or ends to be about an asset. */
export function limitsOf(times: readonly LimitedTime[]): DatedLimits[] {
  const instants = new Set(times.flatMap(({ since, until }) => [since, until]));
  const sorted = times.toSorted((a, b) => a.since - b.since);
  const overdue = new Smallest(({ after }) => after);
  const missing = new Smallest(({ thenAfter }) => thenAfter);
  let next = 0;
  return [...instants]
    .sort((a, b) => a - b)
    .map((from) => {
      for (let time = sorted[next]; time !== undefined && time.since <= from; time = sorted[next]) {
        overdue.add(time);
        missing.add(time);
        next += 1;
      }
      return { from, overdue: overdue.at(from), missing: missing.at(from) };
    });
}

/** The smallest value of a threshold over time; of equal ones that of the oldest rule. */
class Smallest {
  readonly #of: (rule: DatedRule) => Micros | null;
  /** Includes ended ones until they come first. */
  readonly #limits = new LeastFirst<Limit & { until: Micros }>(
    (a, b) => a.after - b.after || (a.ruleId < b.ruleId ? -1 : 1),
  );

  constructor(of: (rule: DatedRule) => Micros | null) {
    this.#of = of;
  }

  add({ rule, until }: LimitedTime): void {
    const after = this.#of(rule);
    if (after !== null) {
      this.#limits.add({ after, ruleId: rule.ruleId, until });
    }
  }

  at(instant: Micros): Limit | null {
    while ((this.#limits.first?.until ?? Number.POSITIVE_INFINITY) <= instant) {
      this.#limits.removeFirst();
    }
    const { first } = this.#limits;
    return first === undefined ? null : { after: first.after, ruleId: first.ruleId };
  }
}
