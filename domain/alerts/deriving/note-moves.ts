import { TooMuchWork } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Subtrees } from '../conditions/load-subtrees.ts';
import type { DatedRule } from '../rules/rule.ts';
import { earliestChange } from './earliest-change.ts';
import type { KnownSubtrees } from './known-subtrees.ts';
import type { Organization, Work } from './organization.ts';
import type { ChangedHistory } from './read-moves.ts';

/**
 * What a move cannot have made true yet is looked at only when it may have. Of an asset that is not overdue a move says that it
 * was read, so rules of that kind need not be asked about it before their threshold has passed.
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

/** Null where that is too much to ask at once: each is looked at then, and asked about by fewer. */
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
