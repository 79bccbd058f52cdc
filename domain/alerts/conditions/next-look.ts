import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { AssetEvidence, ReaderEvidence } from './evidence.ts';
import type { Stretch } from './stretch.ts';
import { stretchesOf } from './stretches-of.ts';
import type { Surroundings } from './surroundings.ts';

/** What is about to change at any moment is looked at again so soon. */
const SOON: Micros = MICROS_PER_SECOND;

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
  const foreseen = stretchesOf(versions, subject, ahead);
  const open = stretchesOf(versions, subject, around).find(({ until }) => until === null);
  if (stateAt(now, open) !== stateAt(now, foreseen[0])) {
    return now + SOON;
  }
  const changes = foreseen.flatMap(({ since, until, alarmSince }) =>
    [since, until, alarmSince].filter((at) => at !== null),
  );
  const hasHours = versions.some(({ hours, until }) => hours !== null && (until === null || until > now));
  // Where less is covered than was foreseen, a version with other thresholds may find another answer.
  const versionsBegin = versions.flatMap(({ from, until }) => [from, until ?? from]);
  const later = [...changes, ...versionsBegin, ...(hasHours ? [ahead.foreseen] : [])].filter(
    (at) => at > now,
  );
  return later.length === 0 ? null : Math.min(...later);
}

function stateAt(instant: Micros, stretch: Stretch | undefined): 'none' | 'open' | 'alarm' {
  if (stretch === undefined || stretch.since > instant) {
    return 'none';
  }
  return stretch.alarmSince !== null && stretch.alarmSince <= instant ? 'alarm' : 'open';
}
