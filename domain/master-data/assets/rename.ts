import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { explainViolations } from '../by-id-or-key.ts';
import { claim } from '../claims.ts';
import { renamingOf } from '../logged/entries.ts';
import type { LookedUp } from '../looked-up.ts';
import type { AssetRow } from '../rows.ts';
import { orNotFound } from './patch.ts';
import { lockLiveAsset, lookUpAsset, updateAssetKey } from './queries.ts';

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
    const before = await orNotFound(lockLiveAsset(change, id));
    if (before === externalKey) {
      return unchanged(await orNotFound(lookUpAsset(change, id)));
    }
    await claim(change, [`asset:${externalKey}`]);
    await explainViolations(updateAssetKey(change, id, externalKey), { external_key: externalKey });
    return changed(await orNotFound(lookUpAsset(change, id)), [
      renamingOf(change.orgId, 'asset', id, before, externalKey),
    ]);
  });
}
