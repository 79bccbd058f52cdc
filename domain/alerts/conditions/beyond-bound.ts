import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined, within } from '../../presence/intervals.ts';
import { sideOf } from '../../tracking/reading-bound.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { AssetEvidence, KnownAlert, MeasuredTag } from './evidence.ts';
import type { Held } from './held.ts';
import { selectedTimes } from './selected-times.ts';
import { stayAt } from './stay-at.ts';
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
  const undecided = known === undefined ? new Set() : undecidedAt(known.asOf, rule, measured.tags);
  const times = measured.tags.flatMap((tag) => timesOf(rule, tag, undecided.has(tag) ? known : undefined));
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

/** Tags of which no reading that was looked at says on which side they were by then: an alert of then is of one of them. */
function undecidedAt(instant: Micros, { bound }: DatedRule, tags: readonly MeasuredTag[]): Set<MeasuredTag> {
  const there = tags.filter(({ pieces }) => (pieces[0]?.at ?? Number.POSITIVE_INFINITY) <= instant);
  const isDecided = ({ pieces }: MeasuredTag) =>
    pieces.some(({ at, value }) => at <= instant && sideOf(bound, value) !== 'between');
  return new Set((there.length === 0 ? tags : there).filter((tag) => !isDecided(tag)));
}

function timesOf(
  { bound, after }: DatedRule,
  { tagId, until, isCut, pieces }: MeasuredTag,
  known: KnownAlert | undefined,
): Beyond[] {
  const times: Beyond[] = [];
  let since: { at: Micros; value: number } | null =
    known === undefined ? null : { at: known.since - (after ?? 0), value: pieces[0]?.value ?? 0 };
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
