import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { claim } from '../claims.ts';
import { explainViolations } from '../constraints.ts';
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
  id: number,
  externalKey: string,
): Promise<LookedUp<AssetRow> & { id: number }> {
  return db.transaction(async (transaction) => {
    if ((await orNotFound(lockLiveAsset(transaction, id))) !== externalKey) {
      await claim(transaction, [`asset:${externalKey}`]);
      await explainViolations(updateAssetKey(transaction, id, externalKey), { external_key: externalKey });
    }
    return orNotFound(lookUpAsset(transaction, id));
  });
}
