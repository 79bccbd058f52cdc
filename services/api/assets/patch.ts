import type { OrganizationDatabase } from '../../../db/timescale/organization-door.ts';
import { notFound } from '../../shared/http/problem.ts';
import type { SameJson } from '../../shared/http/same-json.ts';
import { patchedCommon } from '../patched.ts';
import { type AssetColumns, findLiveAsset, lockLiveAsset, updateAsset } from './queries.ts';
import type { AssetChanges, AssetPatch } from './schema.ts';
import type { AssetRow } from './view.ts';

/**
 * Applies a patch to a live asset (interface section 4.7). A patch that changes nothing writes nothing.
 *
 * @throws Problem `validation_error` for what is wrong with it, given the asset as it is.
 */
export function patchAsset(
  db: OrganizationDatabase,
  id: number,
  patch: AssetPatch,
  same: SameJson,
): Promise<AssetRow> {
  return db.transaction(async (transaction) => {
    await mustBeThere(lockLiveAsset(transaction, id));
    const current = await mustBeThere(findLiveAsset(transaction, id));
    const patched = await patchedColumns(current, patch.against(current), same);
    if (isUnchanged(current, patched)) {
      return current;
    }
    await updateAsset(transaction, id, patched);
    return mustBeThere(findLiveAsset(transaction, id));
  });
}

/** @throws Problem `not_found` if the asset was deleted since the request was let in. */
export async function mustBeThere<Found>(asset: Promise<Found | null>): Promise<Found> {
  const found = await asset;
  if (found === null) {
    throw notFound('Asset not found');
  }
  return found;
}

/** The columns as they are after the changes. */
async function patchedColumns(
  current: AssetRow,
  changes: Partial<AssetChanges>,
  same: SameJson,
): Promise<AssetColumns> {
  return {
    ...patchedCommon(current, changes),
    metadata: await patchedMetadata(changes.metadata, current.metadata, same),
  };
}

/** The metadata to store: what is there if it is the same but for how it is written. */
export async function patchedMetadata(
  given: string | undefined,
  stored: string,
  same: SameJson,
): Promise<string> {
  return given === undefined || (await same(given, stored)) ? stored : given;
}

function isUnchanged(current: AssetRow, patched: AssetColumns): boolean {
  return Object.entries(patched).every(([column, value]) => current[column as keyof AssetColumns] === value);
}
