import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { invalidValue, required } from '../../shared/http/issues.ts';
import { changedColumns, patchedColumns } from '../assets/patch.ts';
import type { AssetColumns } from '../assets/queries.ts';
import { insertWithMintedKeys } from '../external-keys/mint.ts';
import type { NewTag } from '../tags/schema.ts';
import { type TagRow, tagViews } from '../tags/view.ts';
import { fieldChanges } from './difference.ts';
import type { FileProblems } from './problems.ts';
import {
  attachToAssets,
  insertAssets,
  lockAssets,
  type NewImportedAsset,
  type StoredAsset,
  updateAssets,
} from './queries.ts';
import { countRow, type ImportReport, type RowChange } from './report.ts';
import type { ImportRow } from './row.ts';

/** The asset that a row is about: one there was, or one that was made for it. */
type Target = { id: number; externalKey: string; stored: StoredAsset | null };

/**
 * Creates and updates the assets of some rows, in a few statements for all of them. What is wrong with a row, given
 * what is in the database, is noted; the transaction must then be given up.
 *
 * @param rows no two with the same key.
 */
export async function importRows(
  transaction: OrganizationConnection,
  rows: readonly ImportRow[],
  report: ImportReport,
  problems: FileProblems,
): Promise<void> {
  const targets = new Map<ImportRow, Target>();
  await findOrCreate(
    transaction,
    rows.filter(({ asset }) => asset.external_key !== undefined),
    targets,
    problems,
  );
  await createKeyless(
    transaction,
    rows.filter(({ asset }) => asset.external_key === undefined),
    targets,
    problems,
  );
  const added = await attachMissing(transaction, targets, problems);
  const updates: (AssetColumns & { id: number })[] = [];
  for (const row of rows) {
    const target = targets.get(row);
    if (target !== undefined) {
      const { change, update } = settle(row, target, added.get(row) ?? [], report.dry_run);
      countRow(report, change);
      updates.push(...update);
    }
  }
  if (updates.length > 0) {
    await updateAssets(transaction, updates);
  }
}

/** Finds the assets that have the rows' keys, or makes them. Whoever makes one meanwhile makes it be found. */
async function findOrCreate(
  transaction: OrganizationConnection,
  rows: readonly ImportRow[],
  targets: Map<ImportRow, Target>,
  problems: FileProblems,
): Promise<void> {
  let left = new Map(rows.map((row) => [row.asset.external_key ?? '', row]));
  while (left.size > 0) {
    for (const stored of await lockAssets(transaction, [...left.keys()])) {
      settleOn(left, targets, { id: stored.id, externalKey: stored.external_key, stored });
    }
    left = new Map([...left].filter(([, row]) => isNamed(row, problems)));
    if (left.size > 0) {
      const created = await insertAssets(
        transaction,
        [...left].map(([key, row]) => asNew(row, key)),
      );
      for (const { id, external_key } of created) {
        settleOn(left, targets, { id, externalKey: external_key, stored: null });
      }
    }
  }
}

function settleOn(left: Map<string, ImportRow>, targets: Map<ImportRow, Target>, target: Target): void {
  const row = left.get(target.externalKey);
  if (row !== undefined) {
    left.delete(target.externalKey);
    targets.set(row, target);
  }
}

async function createKeyless(
  transaction: OrganizationConnection,
  rows: readonly ImportRow[],
  targets: Map<ImportRow, Target>,
  problems: FileProblems,
): Promise<void> {
  const left = rows.filter((row) => isNamed(row, problems));
  await insertWithMintedKeys(transaction, 'asset', left.length, async (keys) => {
    const rowOf = new Map(keys.map((key, index) => [key, left[index]]));
    const created = await insertAssets(
      transaction,
      [...rowOf].flatMap(([key, row]) => (row === undefined ? [] : [asNew(row, key)])),
    );
    for (const { id, external_key: externalKey } of created) {
      const row = rowOf.get(externalKey);
      if (row !== undefined) {
        targets.set(row, { id, externalKey, stored: null });
        left.splice(left.indexOf(row), 1);
      }
    }
    return new Set(created.map(({ external_key }) => external_key));
  });
}

/** Only an asset that exists has a name without being given one. */
function isNamed({ line, asset }: ImportRow, problems: FileProblems): boolean {
  if (asset.name === undefined) {
    problems.note(line, [required('name')]);
  }
  return asset.name !== undefined;
}

function asNew({ asset }: ImportRow, externalKey: string): NewImportedAsset {
  return { ...asset, external_key: externalKey, name: asset.name ?? '' };
}

/** Attaches the tags that the assets do not have. @returns those, by row. */
async function attachMissing(
  transaction: OrganizationConnection,
  targets: ReadonlyMap<ImportRow, Target>,
  problems: FileProblems,
): Promise<ReadonlyMap<ImportRow, NewTag[]>> {
  const missing = new Map(
    [...targets].map(([row, { stored }]) => [row, missingTags(row.asset.tags ?? [], stored)] as const),
  );
  const wanted = [...targets].flatMap(([row, { id }]) =>
    (missing.get(row) ?? []).map((tag) => ({ row, assetId: id, tag })),
  );
  const attached =
    wanted.length === 0
      ? new Set<string>()
      : new Set((await attachToAssets(transaction, wanted)).map((tag) => `${tag.asset_id}:${nameOf(tag)}`));
  for (const { row, assetId, tag } of wanted) {
    const name = nameOf({ tag_type: tag.tagType, value: tag.value });
    if (!attached.has(`${assetId}:${name}`)) {
      problems.note(row.line, [invalidValue('tags', `has the tag ${name}, which is attached elsewhere`)]);
    }
  }
  return missing;
}

/** Each once, though the row may name it twice. */
function missingTags(tags: readonly NewTag[], stored: StoredAsset | null): NewTag[] {
  const known = new Set(stored === null ? [] : tagViews(stored.tags).map(nameOf));
  return tags.filter((tag) => {
    const name = nameOf({ tag_type: tag.tagType, value: tag.value });
    const isMissing = !known.has(name);
    known.add(name);
    return isMissing;
  });
}

function nameOf({ tag_type, value }: Omit<TagRow, 'id' | 'tag_type'> & { tag_type: string }): string {
  return `${tag_type}:${value}`;
}

/** What a row comes to, and what is to be written for it. */
function settle(
  { line, asset }: ImportRow,
  { id, externalKey, stored }: Target,
  added: readonly NewTag[],
  isDryRun: boolean,
): { change: RowChange | null; update: (AssetColumns & { id: number })[] } {
  if (stored === null) {
    // A key that a dry run makes up may be another's by the time of the import.
    const key = asset.external_key ?? (isDryRun ? null : externalKey);
    return {
      change: { line, action: 'create', external_key: key, name: asset.name ?? '', fields: [] },
      update: [],
    };
  }
  const patched = patchedColumns(stored, asset);
  const fields = fieldChanges(stored, asset, patched, added);
  const isWritten = changedColumns(stored, patched).length > 0;
  return {
    change:
      fields.length === 0
        ? null
        : { line, action: 'update', external_key: externalKey, name: patched.name, fields },
    update: isWritten ? [{ ...patched, id }] : [],
  };
}
