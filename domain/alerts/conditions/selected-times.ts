import { type Interval, joined, within } from '../../presence/intervals.ts';
import type { DatedRule, MetadataTerm } from '../rules/rule.ts';
import type { AssetEvidence, ReaderEvidence } from './evidence.ts';
import type { Surroundings } from './surroundings.ts';

/** When a version of a rule was about an asset, until the end of the window: in order and apart. */
export function selectedTimes(rule: DatedRule, asset: AssetEvidence, around: Surroundings): Interval[] {
  const { assetIds, withinLocationId, metadata } = rule.selection;
  if (!isNamed(assetIds, asset.assetId)) {
    return [];
  }
  const valid = validTimes(rule, asset, around);
  const described = metadata.length === 0 ? valid : within(valid, describedTimes(asset, metadata));
  return withinLocationId === null
    ? described
    : within(described, around.inSubtree(withinLocationId, asset.stays));
}

/** When it was about a reader. */
export function watchedTimes(rule: DatedRule, reader: ReaderEvidence, around: Surroundings): Interval[] {
  return isNamed(rule.selection.readerIds, reader.readerId) ? validTimes(rule, reader, around) : [];
}

function isNamed(ids: readonly number[] | null, id: number): boolean {
  return ids === null || ids.length === 0 || ids.includes(id);
}

function validTimes(
  { from, until }: DatedRule,
  subject: { until: number },
  around: Surroundings,
): Interval[] {
  const end = Math.min(until ?? Number.POSITIVE_INFINITY, subject.until, around.window.until);
  return joined([{ since: from, until: end }]);
}

function describedTimes({ metadata: dated }: AssetEvidence, terms: readonly MetadataTerm[]): Interval[] {
  return joined(
    dated
      .map(({ from, metadata }, index) => ({
        metadata,
        since: from,
        until: dated[index + 1]?.from ?? Number.POSITIVE_INFINITY,
      }))
      .filter(({ metadata }) => terms.every(({ path, value }) => textAt(metadata, path) === value)),
  );
}

/** As a rule spells it; null where there is nothing, or more than one value. */
function textAt(metadata: unknown, path: readonly string[]): string | null {
  let reached: unknown = metadata;
  for (const name of path) {
    reached = isObject(reached) && Object.hasOwn(reached, name) ? reached[name] : undefined;
  }
  return reached === undefined || isObject(reached) ? null : String(reached);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
