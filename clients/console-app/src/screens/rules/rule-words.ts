import type { Rule, RuleSettings } from '../../api/types.ts';
import { durationText } from '../../parts/duration.ts';
import { boundWords } from '../../parts/reading-text.ts';
import { texts } from '../../texts/texts.ts';
import type { Side } from './rule-draft.ts';

/**
 * The alert of a rule, as a sentence.
 *
 * @param side of the bound, for a rule that may have none yet.
 */
export function ruleWords(rule: RuleSettings, place: string | null, side?: Side): string {
  const t = texts.value.rules;
  const after = spanOf(rule.after_seconds);
  const then = spanOf(rule.then_seconds);
  switch (rule.kind) {
    case 'overdue':
      return t.says.overdue(after, then);
    case 'dwell':
      return t.says.dwell(place, after, then);
    case 'not_allowed':
      return t.says.not_allowed(place);
    case 'must_be':
      return t.says.must_be(place, after, rule.hours);
    case 'reader':
      return t.says.reader(after);
    case 'reading':
    case 'battery_low':
      return t.says.reading(...boundWords(rule, side), after);
  }
}

export function selectionWords(
  rule: RuleSettings &
    Partial<Pick<Rule, 'asset_count'>> & { asset_external_keys?: readonly string[] | null },
  within: string | null,
): string {
  const t = texts.value.rules;
  if (rule.kind === 'reader') {
    return rule.reader_ids === null ? t.allReaders : t.readerCount(rule.reader_ids.length);
  }
  const listed = rule.asset_count ?? rule.asset_external_keys?.length ?? null;
  const parts = [
    ...(listed === null ? [] : [t.assetCount(listed)]),
    ...(within === null ? [] : [t.withinPlace(within)]),
    ...rule.metadata.map(({ path, value }) => t.withMetadata(path.join('.'), value)),
  ];
  return parts.length === 0 ? t.allAssets : parts.join(', ');
}

function spanOf(seconds: number | null): string | null {
  return seconds === null || seconds === 0 || Number.isNaN(seconds) ? null : durationText(seconds * 1_000);
}
