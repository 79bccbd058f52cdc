import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { makeChange } from '../../changes/make-change.ts';
import { claim } from '../claims.ts';
import { explainViolations } from '../key-taken.ts';
import type { LookedUp } from '../looked-up.ts';
import type { AssetRow } from '../rows.ts';
import { orNotFound } from './patch.ts';
import { lockLiveAsset, lookUpAsset, updateAssetKey } from './queries.ts';

/**
 * Gives a live asset another external key; the one it has changes nothing.
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
    if ((await orNotFound(lockLiveAsset(change, id))) !== externalKey) {
      await claim(change, [`asset:${externalKey}`]);
      await explainViolations(updateAssetKey(change, id, externalKey), { external_key: externalKey });
    }
    return orNotFound(lookUpAsset(change, id));
  });
}
