import { TooMuchWork } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Subtrees } from '../conditions/load-subtrees.ts';
import { isNamed } from '../conditions/selected-times.ts';
import { type DatedRule, isOfReadings } from '../rules/rule.ts';
import type { KnownSubtrees } from './known-subtrees.ts';
import type { Organization, Work } from './organization.ts';
import type { ChangedHistory } from './read-moves.ts';

/**
 * Schedules assets after moves: an asset is looked at only when the move may have made a condition true. A move of an
 * asset that is not overdue says that it was read, so `overdue` rules need not be asked before their threshold.
 */
export async function noteMoves(
  db: Connection,
  orgId: number,
  { rules, subtrees, quiet, inTime, stays, expected, unsettled }: Organization,
  work: Work,
  changes: readonly ChangedHistory[],
  now: Micros,
): Promise<void> {
  for (const change of changes) {
    unsettled.histories.keep(change, now);
  }
  const moves = changes.filter(({ since }) => since < now);
  const simple = moves.filter(({ assetId, isMoved }) => isMoved && inTime.has(assetId));
  const locationIds = [...new Set(simple.flatMap((move) => move.locationIds))];
  const known = await loadIfBounded(db, orgId, subtrees, locationIds);
  const versions = [...rules.ofAssets.values()].flat();
  const [unread, others] = [versions.filter(isOverdue), versions.filter((version) => !isOverdue(version))];
  const inTimeStill = new Set<ChangedHistory>();
  for (const move of simple) {
    const isBelow = (id: number) =>
      known === null ||
      move.locationIds.some((each) => known.get(id)?.get(each)?.at(-1)?.until === Number.POSITIVE_INFINITY);
    const [by, earliest] = [earliestChange(unread, move, isBelow), earliestChange(others, move, isBelow)];
    if (by <= now) {
      continue;
    }
    inTimeStill.add(move);
    if (Number.isFinite(by)) {
      expected.add(move.assetId, { by, within: by - move.since }, now);
    }
    if (earliest <= now || !quiet.has(move.assetId)) {
      work.stays.add(move.assetId, move.since);
    } else if (Number.isFinite(earliest)) {
      stays.add(move.assetId, earliest);
    }
  }
  for (const move of moves) {
    if (!inTimeStill.has(move)) {
      work.assets.add(move.assetId, move.since);
    }
  }
}

/** Null if it is too much at once: then each is looked at in smaller groups. */
async function loadIfBounded(
  db: Connection,
  orgId: number,
  subtrees: KnownSubtrees,
  locationIds: readonly number[],
): Promise<Subtrees | null> {
  try {
    return await subtrees.load(db, orgId, locationIds);
  } catch (error) {
    if (error instanceof TooMuchWork) {
      return null;
    }
    throw error;
  }
}

function isOverdue({ kind }: DatedRule): boolean {
  return kind === 'overdue';
}

/**
 * When moves may first make the condition of a rule true for an asset for which none held: a lower bound by thresholds
 * alone, so that passing assets need not be looked at. Earlier due times for other reasons stay.
 *
 * @param rules all versions, of kinds that are about assets.
 * @param isBelow whether one of the locations of the moves is at or below another.
 */
export function earliestChange(
  rules: Iterable<DatedRule>,
  { since, assetId }: Pick<ChangedHistory, 'since' | 'assetId'>,
  isBelow: (locationId: number) => boolean,
): Micros {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { kind, after, thenAfter, locationId, selection } of rules) {
    if (isOfReadings({ kind }) && selection.withinLocationId === null) {
      // Wherever it is.
      continue;
    }
    const { assetIds, withinLocationId: within } = selection;
    const isSelected = isNamed(assetIds, assetId) && (within === null || isBelow(within));
    const isAway =
      (kind === 'not_allowed' || kind === 'dwell') && locationId !== null && !isBelow(locationId);
    if (isSelected && !isAway) {
      // What comes into a selection may have stayed, or been away, for long; when it was read restarts.
      const isNew = within !== null && kind !== 'overdue';
      const threshold = after ?? (kind === 'dwell' ? thenAfter : null) ?? 0;
      earliest = Math.min(earliest, isNew ? since : since + threshold);
    }
  }
  return earliest;
}
