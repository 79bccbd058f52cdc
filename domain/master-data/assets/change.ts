import type { MergePatch } from '../../../base/checks/merge-patch.ts';
import { orNotFound } from '../../../base/errors.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { explainViolations } from '../by-id-or-key.ts';
import { claim } from '../claims.ts';
import { ASSET_COLUMNS, type Changes } from '../columns.ts';
import { type LookedUp, rowToPatch } from '../large-texts.ts';
import { changeOf, deletionOf, renamingOf } from '../logged/entries.ts';
import type { AssetRow } from '../rows.ts';
import { isUnchanged, patched, updateOf } from '../stored-columns.ts';
import { detachAllTags, detachingAll } from '../tags/queries.ts';
import {
  findLiveAsset,
  lockLiveAsset,
  lookUpAsset,
  softDeleteAsset,
  updateAsset,
  updateAssetKey,
} from './queries.ts';

const MISSING = 'Asset not found';

type AssetPatch = MergePatch<AssetRow, Changes<typeof ASSET_COLUMNS>>;

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
      await orNotFound(MISSING, lockLiveAsset(change, id));
      const looked = await orNotFound(MISSING, lookUpAsset(change, id));
      const current = await rowToPatch<AssetRow>(change.orgId, looked, patch, () =>
        orNotFound(MISSING, findLiveAsset(change, id)),
      );
      const after = await patched(ASSET_COLUMNS, current, patch.against(current), same);
      if (isUnchanged(ASSET_COLUMNS, current, after)) {
        return unchanged(current);
      }
      await updateAsset(change, id, updateOf(ASSET_COLUMNS, current, after));
      return changed(await orNotFound(MISSING, lookUpAsset(change, id)), [
        changeOf(change.orgId, 'asset', current, after),
      ]);
    },
  );
}

/**
 * Changes a live asset's external key; its present key changes nothing.
 *
 * @throws AppError `conflict` if a live asset has the key.
 */
export function renameAsset(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  externalKey: string,
): Promise<LookedUp<AssetRow> & { id: number }> {
  return makeChange(db, actor, async (change) => {
    const before = await orNotFound(MISSING, lockLiveAsset(change, id));
    if (before === externalKey) {
      return unchanged(await orNotFound(MISSING, lookUpAsset(change, id)));
    }
    await claim(change, [`asset:${externalKey}`]);
    await explainViolations(updateAssetKey(change, id, externalKey), { external_key: externalKey });
    return changed(await orNotFound(MISSING, lookUpAsset(change, id)), [
      renamingOf(change.orgId, 'asset', id, before, externalKey),
    ]);
  });
}

/**
 * Soft-deletes a live asset and detaches its tags.
 *
 * @throws AppError `not_found`.
 */
export function deleteAsset(db: OrganizationDatabase, actor: Actor, id: number): Promise<void> {
  return detachingAll(db, 'asset', id, () =>
    makeChange(db, actor, async (change) => {
      const deleted = await orNotFound(MISSING, softDeleteAsset(change, id));
      const tags = await detachAllTags(change, 'asset', id);
      return changed(undefined, [deletionOf(change.orgId, 'asset', id, deleted, tags)]);
    }),
  );
}
