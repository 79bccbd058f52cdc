import type { Micros } from '../../../base/instant.ts';
import { parseHours } from './hours-text.ts';
import type { DatedRule } from './rule.ts';
import type { RuleSettings } from './settings.ts';
import type { RuleRef } from './stored-rules.ts';

export function datedRule(
  { orgId, id }: RuleRef,
  { hours, ...settings }: RuleSettings,
  { from, until }: { from: Micros; until: Micros | null },
): DatedRule {
  return {
    ...{ ruleId: id, orgId, ...settings, from, until },
    hours: hours === null ? null : { timeZone: hours.timeZone, weekly: parseHours(hours.text) ?? [] },
  };
}
