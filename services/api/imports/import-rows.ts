import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { required } from '../../shared/http/issues.ts';
import { changedColumns, patchedColumns } from '../assets/patch.ts';
import type { AssetColumns } from '../assets/queries.ts';
import type { NewTag } from '../tags/schema.ts';
import { tagName } from '../tags/tag-name.ts';
import { tagViews } from '../tags/view.ts';
import { fieldChanges } from './difference.ts';
import type { Postponed } from './postponed.ts';
import type { FileProblems } from './problems.ts';
import {
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

type AssetUpdate = AssetColumns & { id: number; external_key: string };

/** What comes of a file while its rows are imported. */
export interface Importing {
  report: ImportReport;
  problems: FileProblems;
  postponed: Postponed;
}

/**
 * Creates and updates the assets of rows with keys, in a few statements for all of them; what is to be done with the
 * others, and with tags, is postponed. What is wrong with a row, given what is in the database, is noted; the
 * transaction must then be given up.
 *
 * @param rows no two with the same key.
 */
export async function importRows(
  transaction: OrganizationConnection,
  rows: readonly ImportRow[],
  { report, problems, postponed }: Importing,
): Promise<void> {
  const targets = await findOrCreate(
    transaction,
    rows.filter(({ asset }) => asset.external_key !== undefined),
    problems,
  );
  const updates: AssetUpdate[] = [];
  for (const row of rows) {
    const target = targets.get(row);
    if (target !== undefined) {
      const added = missingTags(row.asset.tags ?? [], target.stored);
      postponed.attach(row.line, target.id, added);
      const { change, update } = await settle(row, target, added);
      countRow(report, change);
      updates.push(...update);
    } else if (row.asset.external_key === undefined && isNamed(row, problems)) {
      const change = creation(row.line, null, row.asset.name);
      postponed.create(row, countRow(report, change) ? change : null);
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
  problems: FileProblems,
): Promise<ReadonlyMap<ImportRow, Target>> {
  const targets = new Map<ImportRow, Target>();
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
  return targets;
}

function settleOn(left: Map<string, ImportRow>, targets: Map<ImportRow, Target>, target: Target): void {
  const row = left.get(target.externalKey);
  if (row !== undefined) {
    left.delete(target.externalKey);
    targets.set(row, target);
  }
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

/** Each once, though the row may name it twice. */
function missingTags(tags: readonly NewTag[], stored: StoredAsset | null): NewTag[] {
  const known = new Set(stored === null ? [] : tagViews(stored.tags).map(tagName));
  return tags.filter((tag) => {
    const name = tagName({ tag_type: tag.tagType, value: tag.value });
    const isMissing = !known.has(name);
    known.add(name);
    return isMissing;
  });
}

/** What a row comes to, and what is to be written for it. */
async function settle(
  { line, asset }: ImportRow,
  { id, externalKey, stored }: Target,
  added: readonly NewTag[],
): Promise<{ change: RowChange | null; update: AssetUpdate[] }> {
  if (stored === null) {
    return { change: creation(line, externalKey, asset.name), update: [] };
  }
  const patched = await patchedColumns(stored, asset);
  const fields = fieldChanges(stored, asset, patched, added);
  const isWritten = changedColumns(stored, patched).length > 0;
  return {
    change:
      fields.length === 0
        ? null
        : { line, action: 'update', external_key: externalKey, name: patched.name, fields },
    update: isWritten ? [{ ...patched, id, external_key: externalKey }] : [],
  };
}

function creation(line: number, externalKey: string | null, name = ''): RowChange {
  return { line, action: 'create', external_key: externalKey, name, fields: [] };
}
