import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined, within } from '../../presence/intervals.ts';
import { sideOf } from '../../tracking/reading-bound.ts';
import type { DatedRule } from '../rules/rule.ts';
import { type AssetEvidence, type KnownAlert, type MeasuredTag, stayAt } from './evidence.ts';
import { sideAt } from './load-measured.ts';
import { selectedTimes } from './selected-times.ts';
import type { Held } from './stretch.ts';
import type { Surroundings } from './surroundings.ts';

/** A time in which a tag was beyond the bound, from the value on that said so until one that was back. */
interface Beyond extends Interval {
  tagId: number;
  value: number;
}

/**
 * When what any of an asset's tags measured was beyond the bound of a rule for longer than its threshold. A value counts until the
 * tag's next one, however long that takes, or until the tag is taken off.
 */
export function beyondTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Held[] {
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
 * An alert says that the asset was beyond the bound, however little of that time is looked at: it goes on with the tags that were
 * beyond by then, or else with those of which no reading says on which side they were.
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
