import type { DatedRule } from '../rules/rule.ts';
import { dwellTimes, mustBeTimes, notAllowedTimes } from './at-place.ts';
import type { AssetEvidence, ReaderEvidence } from './evidence.ts';
import { type Held, stretchesFrom } from './held.ts';
import { overdueTimes } from './overdue.ts';
import { unreachableTimes } from './reader.ts';
import type { Stretch } from './stretch.ts';
import type { Surroundings } from './surroundings.ts';

const OF_ASSETS = {
  overdue: overdueTimes,
  dwell: dwellTimes,
  not_allowed: notAllowedTimes,
  must_be: mustBeTimes,
};

/**
 * When the condition of a rule held for an asset or a reader: the stretches that reach into the window, in order and apart.
 * A function of the evidence alone, however and in whatever order it came.
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
