import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/organization-door.ts';
import { claim } from '../claims.ts';
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
    const { external_key: key, tags } = asset;
    if (tags === undefined || tags.count === 0) {
      return key === undefined ? insertMinted(transaction, asset) : insertClaimed(transaction, key, asset);
    }
    await refuseTaken(transaction, 'asset', key, tags);
    const { id } = await (key === undefined
      ? insertMinted(transaction, asset)
      : insertKeyed(transaction, key, asset));
    await attachAll(transaction, 'asset', id, tags);
    const created = await findLiveAsset(transaction, id);
    if (created === null) {
      throw new Error(`asset ${id} is not there in the transaction that made it`);
    }
    return created;
  });
}

/**
 * In one round trip with the start of the transaction: the insert itself looks whether the key is taken, once it is
 * claimed. With one more for the commit that makes two instead of five, and a fifth less work for Node.js and PostgreSQL
 * (717 and 641 us instead of 917 and 782, busy machine).
 */
async function insertClaimed(
  transaction: OrganizationConnection,
  key: string,
  asset: NewAsset,
): Promise<AssetRow> {
  const [, created] = await Promise.all([
    claim(transaction, [`asset:${key}`]),
    insertKeyed(transaction, key, asset),
  ]);
  return created;
}

function insertMinted(transaction: OrganizationConnection, asset: NewAsset): Promise<AssetRow> {
  return insertWithMintedKey(transaction, 'asset', (minted) => insertAsset(transaction, minted, asset));
}

async function insertKeyed(
  transaction: OrganizationConnection,
  key: string,
  asset: NewAsset,
): Promise<AssetRow> {
  const created = await insertAsset(transaction, key, asset);
  if (created === null) {
    throw keyTaken('asset', key);
  }
  return created;
}
