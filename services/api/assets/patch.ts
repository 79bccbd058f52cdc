import type { OrganizationDatabase } from '../../../db/timescale/organization-door.ts';
import { notFound } from '../../shared/http/problem.ts';
import { sameJsonText } from '../../shared/http/same-json.ts';
import { patchedTime } from '../patched.ts';
import { type AssetColumns, findLiveAsset, lockLiveAsset, updateAsset } from './queries.ts';
import type { AssetChanges, AssetPatch } from './schema.ts';
import type { AssetRow } from './view.ts';

/**
 * Applies a patch to a live asset (interface section 4.7). A patch that changes nothing writes nothing.
 *
 * @throws Problem `validation_error` for what is wrong with it, given the asset as it is.
 */
export function patchAsset(db: OrganizationDatabase, id: number, patch: AssetPatch): Promise<AssetRow> {
  return db.transaction(async (transaction) => {
    const current = await mustBeThere(lockLiveAsset(transaction, id));
    const patched = await patchedColumns(current, patch.against(current));
    if (changedColumns(current, patched).length === 0) {
      return current;
    }
    await updateAsset(transaction, id, patched);
    return mustBeThere(findLiveAsset(transaction, id));
  });
}

/** @throws Problem `not_found` if the asset was deleted since the request was let in. */
export async function mustBeThere(asset: Promise<AssetRow | null>): Promise<AssetRow> {
  const found = await asset;
  if (found === null) {
    throw notFound('Asset not found');
  }
  return found;
}

/** What a change can write of the row as it is. */
type Changeable = Pick<AssetRow, keyof AssetColumns>;

/** The columns as they are after the changes; what is not given stays, to the last digit. */
export async function patchedColumns(
  current: Changeable,
  changes: Partial<AssetChanges>,
): Promise<AssetColumns> {
  const { metadata } = changes;
  const keepsMetadata = metadata === undefined || (await sameJsonText(metadata.text, current.metadata));
  return {
    name: changes.name ?? current.name,
    description: changes.description === undefined ? current.description : changes.description,
    is_active: changes.is_active ?? current.is_active,
    valid_from: patchedTime(changes.valid_from, current.valid_from),
    valid_to: patchedTime(changes.valid_to, current.valid_to),
    metadata: keepsMetadata ? current.metadata : metadata.text,
  };
}

/** Those of the columns that the changes make another. */
export function changedColumns(current: Changeable, patched: AssetColumns): (keyof AssetColumns)[] {
  return (Object.keys(patched) as (keyof AssetColumns)[]).filter(
    (column) => current[column] !== patched[column],
  );
}
