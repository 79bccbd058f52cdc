import type { Micros } from '../../../base/instant.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { AssetEvidence, ReaderEvidence } from './evidence.ts';
import { stretchesOf } from './stretches-of.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * The earliest instant after the window at which the answer can change though nothing else is known: a threshold passes,
 * hours of work or a version of the rule begin or end. Null if there is none. Where an asset is it counts as covered from
 * now on, so what is unseen is looked at in time, and again where nobody had listened meanwhile.
 *
 * @param versions all of one rule, in order.
 */
export function nextLook(
  versions: readonly DatedRule[],
  subject: AssetEvidence | ReaderEvidence,
  around: Surroundings,
): Micros | null {
  const { ahead } = around;
  const now = ahead.window.since;
  const changes = stretchesOf(versions, subject, ahead).flatMap(({ since, until, alarmSince }) =>
    [since, until, alarmSince].filter((at) => at !== null),
  );
  const hasHours = versions.some(({ hours, until }) => hours !== null && (until === null || until > now));
  const later = [...changes, ...(hasHours ? [ahead.foreseen] : [])].filter((at) => at > now);
  return later.length === 0 ? null : Math.min(...later);
}
