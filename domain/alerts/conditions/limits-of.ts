import type { Micros } from '../../../base/instant.ts';
import type { DatedLimits, Limit } from '../../presence/coverage/limits.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { DatedRule } from '../rules/rule.ts';

/** When a version of a rule was about an asset. */
export interface LimitedTime extends Interval {
  rule: DatedRule;
}

/** The smallest thresholds of all rules, from each instant at which one begins or ends to be about an asset. */
export function limitsOf(times: readonly LimitedTime[]): DatedLimits[] {
  const instants = new Set(times.flatMap(({ since, until }) => [since, until]));
  return [...instants]
    .sort((a, b) => a - b)
    .map((from) => {
      const rules = times.filter(({ since, until }) => since <= from && from < until).map(({ rule }) => rule);
      return {
        from,
        overdue: smallest(rules, ({ after }) => after),
        missing: smallest(rules, ({ thenAfter }) => thenAfter),
      };
    });
}

/** Of equal ones that of the oldest rule. */
function smallest(rules: readonly DatedRule[], of: (rule: DatedRule) => Micros | null): Limit | null {
  const limits = rules.flatMap((rule) => {
    const after = of(rule);
    return after === null ? [] : [{ after, ruleId: rule.ruleId }];
  });
  return limits.toSorted((a, b) => a.after - b.after || (a.ruleId < b.ruleId ? -1 : 1))[0] ?? null;
}
