import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/organization-door.ts';
import { keyTaken } from '../constraints.ts';
import { insertWithMintedKey } from '../external-keys/mint.ts';
import { refuseTaken } from '../refuse-taken.ts';
import { attachAll } from '../tags/attach.ts';
import { findLiveAsset, insertAsset } from './queries.ts';
import type { NewAsset } from './schema.ts';
import type { AssetRow } from './view.ts';

/**
 * Creates an asset with its tags, or nothing.
 *
 * @throws Problem `conflict` if the external key or one of the tags is taken.
 */
export function createAsset(db: OrganizationDatabase, asset: NewAsset): Promise<AssetRow> {
  return db.transaction(async (transaction) => {
    const tags = asset.tags ?? [];
    await refuseTaken(transaction, 'asset', asset.external_key, tags);
    const id = await insertKeyed(transaction, asset);
    await attachAll(transaction, 'asset', id, tags);
    const created = await findLiveAsset(transaction, id);
    if (created === null) {
      throw new Error(`asset ${id} is not there in the transaction that made it`);
    }
    return created;
  });
}

async function insertKeyed(transaction: OrganizationConnection, asset: NewAsset): Promise<number> {
  const { external_key: key } = asset;
  if (key === undefined) {
    return insertWithMintedKey(transaction, 'asset', (minted) => insertAsset(transaction, minted, asset));
  }
  const id = await insertAsset(transaction, key, asset);
  if (id === null) {
    throw keyTaken('asset', key);
  }
  return id;
}
