import type { Micros } from '../../../base/instant.ts';
import { LeastFirst } from '../../../base/least-first.ts';
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

/** The smallest of a threshold, instant after instant; of equal ones that of the oldest rule. */
class Smallest {
  readonly #of: (rule: DatedRule) => Micros | null;
  /** Also those that ended, until they come first. */
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
