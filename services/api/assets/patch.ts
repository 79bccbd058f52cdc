import { dearTurns } from '../../../base/dear-turns.ts';
import { notFound } from '../../../base/errors.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { ASSET_COLUMNS } from '../../../domain/master-data/columns.ts';
import { isUnchanged, patched, updateOf } from '../../../domain/master-data/patched.ts';
import type { AssetRow } from '../../../domain/master-data/rows.ts';
import { QUEUE } from '../dear-queue.ts';
import { isWhole, LONG_TEXTS, type LookedUp } from '../whole-row.ts';
import { findLiveAsset, lockLiveAsset, lookUpAsset, updateAsset } from './queries.ts';
import type { AssetPatch } from './schema.ts';

/**
 * Applies a patch to a live asset (contract 4.7). A patch that changes nothing writes nothing, and large texts are
 * neither read nor written that it does not speak of.
 *
 * @throws Invalid for what is wrong with it, given the asset as it is.
 */
export function patchAsset(
  db: OrganizationDatabase,
  id: number,
  patch: AssetPatch,
  same: SameJson,
): Promise<LookedUp<AssetRow> & { id: number }> {
  return db.transaction(async (transaction) => {
    await mustBeThere(lockLiveAsset(transaction, id));
    const current = await readToPatch(transaction, id, patch);
    const after = await patched(ASSET_COLUMNS, current, patch.against(current), same);
    if (isUnchanged(ASSET_COLUMNS, current, after)) {
      return current;
    }
    await updateAsset(transaction, id, updateOf(ASSET_COLUMNS, current, after));
    return mustBeThere(lookUpAsset(transaction, id));
  });
}

/** Without large texts, unless the patch is compared with them; those are read in the organization's turn. */
async function readToPatch(
  transaction: OrganizationConnection,
  id: number,
  patch: AssetPatch,
): Promise<AssetRow> {
  const looked = await mustBeThere(lookUpAsset(transaction, id));
  if (isWhole<AssetRow>(looked) || !patch.touches(...LONG_TEXTS)) {
    return looked as AssetRow;
  }
  await dearTurns.hold(transaction.orgId, 'rows', QUEUE);
  return mustBeThere(findLiveAsset(transaction, id));
}

/** @throws AppError `not_found` if the asset was deleted since the request was let in. */
export async function mustBeThere<Found>(asset: Promise<Found | null>): Promise<Found> {
  const found = await asset;
  if (found === null) {
    throw notFound('Asset not found');
  }
  return found;
}
