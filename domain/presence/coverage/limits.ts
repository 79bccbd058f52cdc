import type { Micros } from '../../../base/instant.ts';

/** The states that an asset can be in. */
export const STATES = ['present', 'overdue', 'missing', 'unknown', 'never_seen'] as const;

/** How much covered time may pass before something is overdue, or missing, by a rule. */
export interface Limit {
  after: Micros;
  ruleId: string;
}

/** Rules' limits for an asset: as of `from`, until the next. Null where no rule sets one. */
export interface DatedLimits {
  from: Micros;
  overdue: Limit | null;
  missing: Limit | null;
}

export const UNLIMITED: DatedLimits = { from: Number.NEGATIVE_INFINITY, overdue: null, missing: null };

/** @param dated in order. */
export function limitsAt(dated: readonly DatedLimits[], at: Micros): DatedLimits {
  return dated.findLast(({ from }) => from <= at) ?? UNLIMITED;
}
