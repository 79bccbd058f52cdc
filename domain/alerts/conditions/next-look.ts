import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { AssetEvidence, ReaderEvidence } from './evidence.ts';
import { stayAt } from './stay-at.ts';
import type { Stretch } from './stretch.ts';
import { stretchesOf } from './stretches-of.ts';
import type { Surroundings } from './surroundings.ts';

/** What is about to change at any moment is looked at again so soon. */
const SOON: Micros = MICROS_PER_SECOND;

/** When the answer can change though nothing else is known. */
export interface NextLook {
  /** Null for never. */
  at: Micros | null;
  /** When an asset is overdue that is not read before; null for never. */
  unread: Micros | null;
  /** What readers of a location may change sooner by going on, or beginning again, to say something. */
  heard: HeardAt | null;
}

/** Readers of the location where an asset was read last prove that it is overdue. */
export interface HeardAt {
  locationId: number;
  /** Once they have proven to listen until then. Infinity where that alone can change nothing. */
  provenUntil: Micros;
  /** Once somebody has listened there again for so long. Infinity where somebody does. */
  listenedFor: Micros;
}

/**
 * The earliest instant after the window at which the answer can change: a threshold passes, hours of work or a version of the
 * rule begin or end. Where an asset is it counts as covered from now on, if somebody is taken to listen there. Where nobody
 * is, no time passes until somebody does; and what only needs to be proven waits for the next message of a reader.
 *
 * @param versions all of one rule, in order.
 */
export function nextLook(
  versions: readonly DatedRule[],
  subject: AssetEvidence | ReaderEvidence,
  around: Surroundings,
): NextLook {
  const { ahead } = around;
  const now = ahead.window.since;
  const foreseen = stretchesOf(versions, subject, ahead);
  const changes = foreseen.flatMap(({ since, until, alarmSince }) =>
    [since, until, alarmSince].filter((at) => at !== null),
  );
  const hasHours = versions.some(({ hours, until }) => hours !== null && (until === null || until > now));
  // Where less is covered than was foreseen, a version with other thresholds may find another answer.
  const versionsBegin = versions.flatMap(({ from, until }) => [from, until ?? from]);
  const certain = firstAfter(now, [...versionsBegin, ...(hasHours ? [ahead.foreseen] : [])]);
  const open = stretchesOf(versions, subject, around).find(({ until }) => until === null);
  const [before, after] = [stateAt(now, open), stateAt(now, foreseen[0])];
  const locationId = placeOf(versions, subject);
  if (before !== after) {
    const provenUntil = (before === 'none' ? foreseen[0]?.since : foreseen[0]?.alarmSince) ?? now;
    return locationId === null || after === 'none' || around.heard(locationId).listenedSince === null
      ? { at: now + SOON, unread: null, heard: null }
      : {
          at: certain,
          unread: null,
          heard: { locationId, provenUntil, listenedFor: Number.POSITIVE_INFINITY },
        };
  }
  const next = firstAfter(now, changes);
  if (next === null || locationId === null || around.heard(locationId).listenedSince !== null) {
    return before === 'none' && locationId !== null
      ? { at: certain, unread: next, heard: null }
      : { at: firstAfter(now, [next, certain]), unread: null, heard: null };
  }
  const provenUntil = Number.POSITIVE_INFINITY;
  return { at: certain, unread: null, heard: { locationId, provenUntil, listenedFor: next - now } };
}

/** Where an asset has to be covered to be overdue; null of all else. */
function placeOf(versions: readonly DatedRule[], subject: AssetEvidence | ReaderEvidence): number | null {
  if ('readerId' in subject || versions[0]?.kind !== 'overdue') {
    return null;
  }
  const unread = subject.unread.at(-1);
  return (unread && stayAt(subject.stays, unread.since)?.locationId) ?? null;
}

function firstAfter(now: Micros, instants: readonly (Micros | null)[]): Micros | null {
  const later = instants.filter((at) => at !== null && at > now) as Micros[];
  return later.length === 0 ? null : Math.min(...later);
}

function stateAt(instant: Micros, stretch: Stretch | undefined): 'none' | 'open' | 'alarm' {
  if (stretch === undefined || stretch.since > instant) {
    return 'none';
  }
  return stretch.alarmSince !== null && stretch.alarmSince <= instant ? 'alarm' : 'open';
}
