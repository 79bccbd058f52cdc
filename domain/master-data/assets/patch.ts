import type { MergePatch } from '../../../base/checks/merge-patch.ts';
import { notFound } from '../../../base/errors.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { ASSET_COLUMNS, type Changes } from '../columns.ts';
import { changeOf } from '../logged/entries.ts';
import { type LookedUp, rowToPatch } from '../looked-up.ts';
import type { AssetRow } from '../rows.ts';
import { isUnchanged, patched, updateOf } from '../written.ts';
import { findLiveAsset, lockLiveAsset, lookUpAsset, updateAsset } from './queries.ts';

export type AssetPatch = MergePatch<AssetRow, Changes<typeof ASSET_COLUMNS>>;

/**
 * Applies a patch to a live asset (contract 4.7). A patch without changes writes nothing; large texts it does not
 * mention are neither read nor written.
 *
 * @throws Invalid for faults of the patch, given the current asset.
 */
export function patchAsset(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  patch: AssetPatch,
  same: SameJson,
): Promise<LookedUp<AssetRow> & { id: number }> {
  return makeChange<OrganizationConnection, LookedUp<AssetRow> & { id: number }>(
    db,
    actor,
    async (change) => {
      await orNotFound(lockLiveAsset(change, id));
      const looked = await orNotFound(lookUpAsset(change, id));
      const current = await rowToPatch<AssetRow>(change.orgId, looked, patch, () =>
        orNotFound(findLiveAsset(change, id)),
      );
      const after = await patched(ASSET_COLUMNS, current, patch.against(current), same);
      if (isUnchanged(ASSET_COLUMNS, current, after)) {
        return unchanged(current);
      }
      await updateAsset(change, id, updateOf(ASSET_COLUMNS, current, after));
      return changed(await orNotFound(lookUpAsset(change, id)), [
        changeOf(change.orgId, 'asset', current, after),
      ]);
    },
  );
}

/** @throws AppError `not_found` if the asset was deleted since the request was let in. */
export async function orNotFound<Found>(asset: Promise<Found | null>): Promise<Found> {
  const found = await asset;
  if (found === null) {
    throw notFound('Asset not found');
  }
  return found;
}
