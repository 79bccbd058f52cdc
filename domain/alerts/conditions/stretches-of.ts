import type { DatedRule } from '../rules/rule.ts';
import { beyondTimes } from './beyond-bound.ts';
import { dwellTimes, mustBeTimes, notAllowedTimes } from './dwell-not-allowed-must-be.ts';
import type { AssetEvidence, ReaderEvidence } from './evidence.ts';
import { overdueTimes } from './overdue.ts';
import { unreachableTimes } from './reader-unreachable.ts';
import { type Held, type Stretch, stretchesFrom } from './stretch.ts';
import type { Surroundings } from './surroundings.ts';

const OF_ASSETS = {
  overdue: overdueTimes,
  dwell: dwellTimes,
  not_allowed: notAllowedTimes,
  must_be: mustBeTimes,
  reading: beyondTimes,
  battery_low: beyondTimes,
};

/**
 * When the condition of a rule held for an asset or a reader: the stretches that reach into the window, sorted and
 * disjoint. Depends on the evidence alone, not on the order of its arrival.
 *
 * @param versions all of one rule, in order.
 */
export function stretchesOf(
  versions: readonly DatedRule[],
  subject: AssetEvidence | ReaderEvidence,
  around: Surroundings,
): Stretch[] {
  return stretchesFrom(
    versions.flatMap((rule) => heldUnder(rule, subject, around)),
    around.window,
  );
}

function heldUnder(
  rule: DatedRule,
  subject: AssetEvidence | ReaderEvidence,
  around: Surroundings,
): readonly Held[] {
  if ('readerId' in subject) {
    return rule.kind === 'reader' ? unreachableTimes(rule, subject, around) : [];
  }
  return rule.kind === 'reader' ? [] : OF_ASSETS[rule.kind](rule, subject, around);
}
