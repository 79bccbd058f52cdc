import { invalidValue, required } from '../../../base/checks/issues.ts';
import { turnedInto } from '../../../base/harmless-cells.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import type { ChangeEntry } from '../../changes/entry.ts';
import { logChanges, type OrganizationChange } from '../../changes/make-change.ts';
import { findLiveByKeys, type Keyed } from '../by-id-or-key.ts';
import { TOO_MANY_TAGS } from '../tags/attach.ts';
import { keyOfTag, type NewTag, tagName } from '../tags/new-tag.ts';
import { MOST_TAGS } from '../tags/queries.ts';
import { storedTags } from '../tags/stored-tags.ts';
import { fieldChanges, loggedUpdate, patchedRow } from './difference.ts';
import type { Postponed } from './parents-and-tags.ts';
import type { FileKeys, FileProblems } from './read-rows.ts';
import { countRow, type ImportReport, noteRespelled, type RespelledTag, type RowChange } from './report.ts';
import type { ImportRow } from './row.ts';
import { lockRows, readStoredRows, type StoredRow } from './stored-rows.ts';
import { insertRows, type NewRow, updateRows, type WrittenRow } from './write-rows.ts';

/** Observes the outcome of every row that the file alone does not disqualify. */
export interface Onlooker {
  /** Called again if the transaction is retried. */
  begin(): void;
  /** @param change null if nothing changes. */
  row(row: ImportRow, change: RowChange | null): void;
}

interface Importing {
  resource: Keyed;
  report: ImportReport;
  problems: FileProblems;
  keys: FileKeys;
  postponed: Postponed;
  same: SameJson;
  onlooker: Onlooker | undefined;
}

type RowChanges = ReadonlyMap<ImportRow, RowChange | null>;

/**
 * Creates and updates rows with keys, in a few statements; the other rows, parents and tags are postponed. Faults found
 * in the database are noted; then the transaction must be rolled back.
 *
 * @param rows no two with the same key.
 */
export async function importRows(
  transaction: OrganizationChange,
  rows: readonly ImportRow[],
  importing: Importing,
): Promise<void> {
  const { report, problems, postponed, onlooker } = importing;
  const changes = await updateOrCreate(
    transaction,
    rows.filter(({ given }) => given.external_key !== undefined),
    importing,
  );
  for (const row of rows) {
    const change = changes.get(row);
    if (change !== undefined) {
      countRow(report, change);
      onlooker?.row(row, change);
    } else if (row.given.external_key === undefined && isNamed(row, problems)) {
      const creation = creationOf(row, null);
      onlooker?.row(row, creation);
      postponed.create(row, missingTags(row, importing, null), countRow(report, creation) ? creation : null);
    }
  }
}

/** Updates rows whose keys exist and creates the others. A row that somebody else creates meanwhile is updated. */
async function updateOrCreate(
  transaction: OrganizationChange,
  rows: readonly ImportRow[],
  importing: Importing,
): Promise<RowChanges> {
  const { resource, problems, postponed } = importing;
  const changes = new Map<ImportRow, RowChange | null>();
  let left = new Map(rows.map((row) => [row.given.external_key ?? '', row]));
  while (left.size > 0) {
    await updateStored(transaction, left, importing, changes);
    await refuseTurned(transaction, left, importing);
    left = new Map([...left].filter(([, row]) => isNamed(row, problems)));
    if (left.size > 0) {
      const created = await insertRows(
        transaction,
        resource,
        [...left].map(([key, row]) => asNew(row, key)),
      );
      for (const { id, external_key: key } of created) {
        const row = left.get(key);
        if (row !== undefined) {
          left.delete(key);
          changes.set(row, creationOf(row, key));
          postponed.complete(row, id, missingTags(row, importing, null));
        }
      }
    }
  }
  return changes;
}

/** Updates existing rows and removes them from `left`. */
async function updateStored(
  transaction: OrganizationChange,
  left: Map<string, ImportRow>,
  importing: Importing,
  changes: Map<ImportRow, RowChange | null>,
): Promise<void> {
  const { resource, postponed, same } = importing;
  const ids = (await findLiveByKeys(transaction, resource, transaction.orgId, [...left.keys()])).map(
    ({ id }) => id,
  );
  if (ids.length === 0) {
    return;
  }
  await lockRows(transaction, resource, ids, 'change');
  // Read again under the lock; a row renamed in the meantime has another key.
  for await (const piece of readStoredRows(transaction, resource, ids)) {
    const updates: WrittenRow[] = [];
    const entries: ChangeEntry[] = [];
    for (const stored of piece) {
      const row = left.get(stored.external_key);
      if (row !== undefined) {
        left.delete(stored.external_key);
        const added = missingTags(row, importing, stored);
        const patched = await patchedRow(resource, stored, row.given, same);
        const fields = fieldChanges(resource, stored, row.given, patched, added);
        changes.set(row, fields.length === 0 ? null : updateOf(row, patched, fields));
        if (fields.length > 0) {
          entries.push(loggedUpdate(transaction.orgId, resource, stored, patched, row.given, added));
        }
        if (fields.some(({ field }) => field in patched)) {
          updates.push(patched);
        }
        postponed.complete(row, stored.id, added, stored.parent_external_key);
      }
    }
    if (updates.length > 0) {
      await updateRows(transaction, resource, updates);
    }
    if (!postponed.isDryRun) {
      await logChanges(transaction, transaction.actor, entries);
    }
  }
}

/**
 * Refuses new rows, and removes them from `left`, that have a stored key as a spreadsheet shows it. Keys that the file itself
 * has were not turned.
 */
async function refuseTurned(
  transaction: OrganizationChange,
  left: Map<string, ImportRow>,
  { resource, problems, keys }: Importing,
): Promise<void> {
  const turned = (row: ImportRow) => turnedInto(row.keyCell ?? '').filter((key) => !keys.has(key));
  const rows = new Map([...left.values()].flatMap((row) => turned(row).map((key) => [key, row])));
  const stored =
    rows.size === 0 ? [] : await findLiveByKeys(transaction, resource, transaction.orgId, [...rows.keys()]);
  for (const { external_key: key } of stored) {
    const { line, given } = rows.get(key) as ImportRow;
    const cause = `${given.external_key} would be new beside ${key}, which a spreadsheet may have turned into it`;
    problems.note(line, [
      invalidValue('external_key', `${cause}; write ${key}, or '${given.external_key} if a new one is meant`),
    ]);
    left.delete(given.external_key ?? '');
  }
}

function isNamed({ line, given }: ImportRow, problems: FileProblems): boolean {
  if (given.name === undefined) {
    problems.note(line, [required('name')]);
  }
  return given.name !== undefined;
}

function asNew({ given }: ImportRow, externalKey: string): NewRow {
  return { ...given, external_key: externalKey, name: given.name ?? '' };
}

/** Given tags that the row lacks in any spelling: two spellings of one tag would say nothing more. */
function missingTags(
  { line, given }: ImportRow,
  { report, problems }: Importing,
  stored: StoredRow | null,
): NewTag[] {
  const attached = stored === null ? [] : storedTags(stored.tags);
  const known = new Map(
    attached.map((tag) => [`${tag.tag_type}:${keyOfTag(tag.tag_type, tag.value)}`, tag.value]),
  );
  const names = new Set(attached.map(tagName));
  const missing: NewTag[] = [];
  const respelled: RespelledTag[] = [];
  for (const tag of given.tags ?? []) {
    const name = tagName({ tag_type: tag.tagType, value: tag.value });
    const key = `${tag.tagType}:${tag.tagKey}`;
    const as = known.get(key);
    if (as === undefined) {
      known.set(key, tag.value);
      missing.push(tag);
    } else if (!names.has(name)) {
      respelled.push({ line, tag: name, as });
    }
  }
  noteRespelled(report, respelled);
  if (missing.length > 0 && attached.length + missing.length > MOST_TAGS) {
    problems.note(line, [invalidValue('tags', TOO_MANY_TAGS)]);
  }
  return missing;
}

function creationOf({ line, given }: ImportRow, externalKey: string | null): RowChange {
  return { line, action: 'create', external_key: externalKey, name: given.name ?? '', fields: [] };
}

function updateOf({ line }: ImportRow, patched: WrittenRow, fields: RowChange['fields']): RowChange {
  return { line, action: 'update', external_key: patched.external_key, name: patched.name, fields };
}
