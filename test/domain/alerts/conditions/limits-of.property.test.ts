import { expect } from 'chai';
import fc from 'fast-check';
import { type LimitedTime, limitsOf } from '../../../../domain/alerts/conditions/load-limits.ts';
import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import { timeOf } from '../../../support/held-loop.ts';
import { ruleOf } from './rule-of.ts';

const threshold = fc.option(fc.integer({ min: 1, max: 4 }));

const time = fc
  .tuple(
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 1, max: 6 }),
    threshold,
    threshold,
    fc.constantFrom('A', 'B', 'C'),
  )
  .map(
    ([since, length, after, thenAfter, ruleId]): LimitedTime => ({
      ...{ since, until: since + length },
      rule: ruleOf({ kind: 'overdue', ruleId, after, thenAfter }),
    }),
  );

/** The smallest threshold at an instant, the oldest rule first. */
function smallest(times: readonly LimitedTime[], at: number, of: (rule: DatedRule) => number | null) {
  const limits = times.flatMap(({ since, until, rule }) => {
    const after = of(rule);
    return since <= at && at < until && after !== null ? [{ after, ruleId: rule.ruleId }] : [];
  });
  return limits.toSorted((a, b) => a.after - b.after || (a.ruleId < b.ruleId ? -1 : 1))[0] ?? null;
}

describe('the smallest thresholds of rules', () => {
  it('are the least of those that hold at each instant at which one begins or ends', () => {
    fc.assert(
      fc.property(fc.array(time, { maxLength: 15 }), (times) => {
        const instants = [...new Set(times.flatMap(({ since, until }) => [since, until]))];
        const expected = instants
          .sort((a, b) => a - b)
          .map((from) => ({
            from,
            overdue: smallest(times, from, ({ after }) => after),
            missing: smallest(times, from, ({ thenAfter }) => thenAfter),
          }));
        expect(limitsOf(times)).to.deep.equal(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found for one asset by 4,000 versions in the time that the loop may be held', () => {
    const times = Array.from({ length: 4_000 }, (_, index) => ({
      ...{ since: index, until: index + 2_000 },
      rule: ruleOf({ kind: 'overdue', ruleId: String(index % 200), after: 1 + (index % 7), thenAfter: 10 }),
    }));
    expect(timeOf(() => limitsOf(times), 3)).to.be.below(250);
  });
});
