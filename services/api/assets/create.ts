import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/organization-door.ts';
import { claiming } from '../claims.ts';
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
  const { external_key: key, tags } = asset;
  const hasNoTags = tags === undefined || tags.count === 0;
  if (hasNoTags && key !== undefined) {
    // The insert itself looks whether the key is taken, once it is claimed. All of it in one round trip instead of two takes
    // an eighth less of Node.js's time and a seventh less of PostgreSQL's: 1,355 creates/s (1,329 to 1,483) instead of 1,212
    // (1,136 to 1,338).
    return insertKeyed(db.behind(claiming(db.orgId, [`asset:${key}`])), key, asset);
  }
  return db.transaction(async (transaction) => {
    if (hasNoTags) {
      return insertMinted(transaction, asset);
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
