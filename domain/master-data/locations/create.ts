import { foreignKeyNotFound, invalid } from '../../../base/checks/issues.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import { keyTaken, lockLiveLocationByKey } from '../by-id-or-key.ts';
import { insertWithMintedKey } from '../external-keys/mint.ts';
import { creationOf } from '../logged/entries.ts';
import type { LocationRow } from '../rows.ts';
import { attachAll, refuseTaken } from '../tags/attach.ts';
import { findLiveLocation, insertLocation, lockLiveLocation, type NewLocation } from './queries.ts';

/**
 * Creates a location with its tags, or nothing.
 *
 * @throws Invalid if there is no such parent, `conflict` if the external key or one of the tags is
 * taken.
 */
export function createLocation(
  db: OrganizationDatabase,
  actor: Actor,
  location: NewLocation,
): Promise<LocationRow> {
  return makeChange(db, actor, async (change) => {
    const parentId = await resolveParent(change, location);
    const { tags } = location;
    await refuseTaken(change, 'location', location.external_key, tags);
    const id = await insertKeyed(change, location, parentId);
    await attachAll(change, 'location', id, tags);
    const created = await findLiveLocation(change, id);
    if (created === null) {
      throw new Error(`location ${id} is missing in the transaction that made it`);
    }
    return changed(created, [creationOf(change.orgId, 'location', created)]);
  });
}

async function resolveParent(
  transaction: OrganizationConnection,
  { parent_id: id, parent_external_key: externalKey }: NewLocation,
): Promise<number | null> {
  if (id !== undefined && id !== null) {
    return mustExist(await lockLiveLocation(transaction, id), 'parent_id', id);
  }
  if (externalKey !== undefined && externalKey !== null) {
    const parentId = await lockLiveLocationByKey(transaction, transaction.orgId, externalKey);
    return mustExist(parentId, 'parent_external_key', externalKey);
  }
  return null;
}

function mustExist(id: number | null, field: string, value: string | number): number {
  if (id === null) {
    throw invalid([foreignKeyNotFound(field, value)]);
  }
  return id;
}

async function insertKeyed(
  change: OrganizationChange,
  location: NewLocation,
  parentId: number | null,
): Promise<number> {
  const { external_key: key } = location;
  if (key === undefined) {
    return insertWithMintedKey(change, 'location', (minted) =>
      insertLocation(change, minted, location, parentId),
    );
  }
  const id = await insertLocation(change, key, location, parentId);
  if (id === null) {
    throw keyTaken('location', key);
  }
  return id;
}
