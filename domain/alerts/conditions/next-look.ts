import { leastOf } from '../../../base/extremes.ts';
import { firstIndex } from '../../../base/first-index.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { DatedRule } from '../rules/rule.ts';
import { type AssetEvidence, type ReaderEvidence, stayAt } from './evidence.ts';
import { stretchesOf } from './rule-kinds.ts';
import type { Stretch } from './stretch.ts';
import type { Surroundings } from './surroundings.ts';

/** Conditions that may change at any moment are looked at again after this. */
const SOON: Micros = MICROS_PER_SECOND;

const NEVER = Number.POSITIVE_INFINITY;

/** When the answer can change without news. */
export interface NextLook {
  /** Null for never. */
  at: Micros | null;
  /** When an asset that is not read before becomes overdue; null for never. */
  unread: Micros | null;
  /** Readers whose next messages may change it sooner; at most one of each location. */
  heard: readonly HeardAt[];
}

/** Readers of a location where an asset was read prove that it is, or was, overdue. */
export interface HeardAt {
  locationId: number;
  /** After they have proven to listen until then. Infinity if that alone changes nothing. */
  provenUntil: Micros;
  /** After somebody has listened there again for this long. Infinity while somebody does. */
  listenedFor: Micros;
  /** The pending change was over by now: it is dropped once nothing can prove it. */
  isOver: boolean;
}

/**
 * The earliest instant after the window at which the answer can change: a threshold passes, working hours or a version of the
 * rule begin or end. Where an asset is it counts as covered from now on, if somebody is taken to listen there. Where nobody
 * is, no time passes until somebody does; and what only needs to be proven waits for the next message of a reader, also
 * where it is over by now:
 *
 *     proven     |=====|
 *     not read      |------------|     then it was read elsewhere
 *     overdue              |-----|     found once the reader says something
 *
 * @param versions all of one rule, in order.
 * @param found what {@link stretchesOf} says of all three.
 */
export function nextLook(
  versions: readonly DatedRule[],
  subject: AssetEvidence | ReaderEvidence,
  around: Surroundings,
  found: readonly Stretch[] = stretchesOf(versions, subject, around),
): NextLook {
  const { ahead } = around;
  const now = around.window.until;
  const foreseen = stretchesOf(versions, subject, ahead);
  const certain = certainChange(versions, ahead, now);
  if (found.length === 0 && foreseen.length === 0) {
    // Most rules do not apply to most assets.
    return { at: certain, unread: null, heard: [] };
  }
  const pending = pendingProofs(found, foreseen, now);
  const heard = joinHeard(
    pending.map(({ at: provenUntil, ...each }) => ({ ...each, provenUntil, listenedFor: NEVER })),
  );
  const [before, after] = [found, foreseen].map((stretches) => stateAt(now, stretches));
  if (before !== after) {
    const isVersionNew = versions.some(({ from, until }) => from === now || until === now);
    const isWaiting = pending.some(({ at, isOver }) => !isOver && at < now) && !isVersionNew;
    return { at: isWaiting ? certain : now + SOON, unread: null, heard };
  }
  const changes = foreseen.flatMap(({ since, until, alarmSince }) => [since, until, alarmSince]);
  const next = firstAfter(now, changes);
  const locationId = placeOf(versions, subject);
  if (next === null || locationId === null || around.heard(locationId).listenedSince !== null) {
    return before === 'none' && locationId !== null
      ? { at: certain, unread: next, heard }
      : { at: firstAfter(now, [next, certain]), unread: null, heard };
  }
  const again = { locationId, provenUntil: NEVER, listenedFor: next - now, isOver: false };
  return { at: certain, unread: null, heard: joinHeard([...heard, again]) };
}

/** When versions or hours begin or end, independent of evidence. */
function certainChange(versions: readonly DatedRule[], ahead: Surroundings, now: Micros): Micros | null {
  let earliest = NEVER;
  for (const { from, until, hours } of versions) {
    const isOver = until !== null && until <= now;
    // Where less is covered than was foreseen, a version with other thresholds may find another answer.
    const begins = from > now ? from : NEVER;
    const ends = until === null || isOver ? NEVER : until;
    const foreseen = hours === null || isOver || ahead.foreseen <= now ? NEVER : ahead.foreseen;
    earliest = Math.min(earliest, begins, ends, foreseen);
  }
  return earliest === NEVER ? null : earliest;
}

/** The first for each location. */
export function joinHeard(waits: readonly HeardAt[]): HeardAt[] {
  if (waits.length === 0) {
    return [];
  }
  const joined = new Map<number, HeardAt>();
  for (const wait of waits) {
    const other = joined.get(wait.locationId) ?? wait;
    joined.set(wait.locationId, {
      locationId: wait.locationId,
      provenUntil: Math.min(other.provenUntil, wait.provenUntil),
      listenedFor: Math.min(other.listenedFor, wait.listenedFor),
      isOver: other.isOver && wait.isOver,
    });
  }
  return [...joined.values()];
}

/** Where an asset must be covered to become overdue; null for other rules. */
function placeOf(versions: readonly DatedRule[], subject: AssetEvidence | ReaderEvidence): number | null {
  if ('readerId' in subject || versions[0]?.kind !== 'overdue') {
    return null;
  }
  const unread = subject.unread.at(-1);
  return (unread && stayAt(subject.stays, unread.since)?.locationId) ?? null;
}

function firstAfter(now: Micros, instants: readonly (Micros | null)[]): Micros | null {
  const later = instants.filter((at) => at !== null && at > now) as Micros[];
  return later.length === 0 ? null : leastOf(later);
}

function stateAt(instant: Micros, stretches: readonly Stretch[]): 'none' | 'open' | 'alarm' {
  const stretch = stretches.find(
    ({ since, until }) => since <= instant && (until === null || until > instant),
  );
  if (stretch === undefined) {
    return 'none';
  }
  return stretch.alarmSince !== null && stretch.alarmSince <= instant ? 'alarm' : 'open';
}

/** What would already hold if readers prove that they listened. */
interface PendingProof {
  locationId: number;
  /** The first instant at which it changes the answer. */
  at: Micros;
  /** The stretch was over by now, too. */
  isOver: boolean;
}

/**
 * The times at which stretches found under the assumption of full proof differ from those found. More coverage never
 * makes less overdue, so each found stretch lies within a foreseen one.
 *
 * @param found sorted and disjoint, as is `foreseen`.
 */
function pendingProofs(found: readonly Stretch[], foreseen: readonly Stretch[], now: Micros): PendingProof[] {
  return foreseen.flatMap((stretch) => {
    const at = firstDifference(stretch, overlapping(stretch, found));
    return stretch.because.kind !== 'overdue' || at === null || at > now
      ? []
      : [{ locationId: stretch.because.locationId, at, isOver: endOf(stretch) <= now }];
  });
}

function firstDifference(stretch: Stretch, found: Stretch | undefined): Micros | null {
  if (found === undefined || found.since > stretch.since) {
    return stretch.since;
  }
  return (found.alarmSince ?? Number.POSITIVE_INFINITY) > (stretch.alarmSince ?? Number.POSITIVE_INFINITY)
    ? stretch.alarmSince
    : null;
}

/** The first that overlaps. */
function overlapping(stretch: Stretch, found: readonly Stretch[]): Stretch | undefined {
  const other = found[firstIndex(0, found.length, (at) => endOf(found[at] as Stretch) > stretch.since)];
  return other !== undefined && other.since < endOf(stretch) ? other : undefined;
}

function endOf({ until }: Stretch): Micros {
  return until ?? Number.POSITIVE_INFINITY;
}
