import { type Interval, joined, within } from '../../presence/intervals.ts';
import type { DatedRule, MetadataTerm } from '../rules/rule.ts';
import { type AssetEvidence, pathKey, type ReaderEvidence } from './evidence.ts';
import type { Surroundings } from './surroundings.ts';

/** When a version of a rule was about an asset, until the end of the window: sorted and disjoint. */
export function selectedTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Interval[] {
  const { assetIds, withinLocationId, metadata } = rule.selection;
  if (!isNamed(assetIds, asset.assetId)) {
    return [];
  }
  const terms = metadata.map((term) => describedTimes(asset, term));
  if (terms.some(({ length }) => length === 0)) {
    return [];
  }
  const described = terms.reduce(within, validTimes(rule, asset, around));
  return withinLocationId === null
    ? described
    : within(described, around.inSubtree(withinLocationId, asset.stays));
}

/** When it was about a reader. */
export function watchedTimes(rule: DatedRule, reader: ReaderEvidence, around: Surroundings): Interval[] {
  return isNamed(rule.selection.readerIds, reader.readerId) ? validTimes(rule, reader, around) : [];
}

/** True if a list contains it, or there is no list. */
export function isNamed(ids: readonly number[] | null, id: number): boolean {
  return ids === null || ids.length === 0 || setOf(ids).has(id);
}

/** One per list, because many assets are looked for in it. */
const sets = new WeakMap<readonly number[], ReadonlySet<number>>();

function setOf(ids: readonly number[]): ReadonlySet<number> {
  const set = sets.get(ids) ?? new Set(ids);
  sets.set(ids, set);
  return set;
}

function validTimes(
  { from, until }: DatedRule,
  subject: { until: number },
  around: Surroundings,
): Interval[] {
  const end = Math.min(until ?? Number.POSITIVE_INFINITY, subject.until, around.window.until);
  return joined([{ since: from, until: end }]);
}

function describedTimes({ described }: AssetEvidence, { path, value }: MetadataTerm): Interval[] {
  return joined((described.get(pathKey(path)) ?? []).filter(({ text }) => text === value));
}
