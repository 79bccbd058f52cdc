import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import { insertWithMintedKey } from '../external-keys/mint.ts';
import { creationOf } from '../logged/entries.ts';
import type { AssetRow } from '../rows.ts';
import { attachAll } from '../tags/attach.ts';
import { refuseTaken } from '../tags/refuse-taken.ts';
import { INSERT_ASSETS } from './insert-assets.ts';
import type { NewAsset } from './new-asset.ts';
import { findLiveAsset, insertAsset } from './queries.ts';

/**
 * Creates an asset with its tags, or nothing.
 *
 * @throws AppError `conflict` if the external key or one of the tags is taken.
 */
export function createAsset(db: OrganizationDatabase, actor: Actor, asset: NewAsset): Promise<AssetRow> {
  const { external_key: key, tags } = asset;
  if (key !== undefined && !tags?.repeated) {
    return db.grouped(INSERT_ASSETS, { ...asset, external_key: key, actor });
  }
  return makeChange(db, actor, async (change) => {
    // Always, if a tag is named twice.
    await refuseTaken(change, 'asset', key, tags);
    const inserted = await insertMinted(change, asset);
    if (tags === undefined || tags.count === 0) {
      return changed(inserted, [creationOf(change.orgId, 'asset', inserted)]);
    }
    await attachAll(change, 'asset', inserted.id, tags);
    const created = await findLiveAsset(change, inserted.id);
    if (created === null) {
      throw new Error(`asset ${inserted.id} is not there in the transaction that made it`);
    }
    return changed(created, [creationOf(change.orgId, 'asset', created)]);
  });
}

function insertMinted(change: OrganizationChange, asset: NewAsset): Promise<AssetRow> {
  return insertWithMintedKey(change, 'asset', (minted) => insertAsset(change, minted, asset));
}
