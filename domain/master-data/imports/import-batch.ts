import {
  type Checked,
  type FieldIssue,
  foreignKeyNotFound,
  invalid,
  invalidValue,
} from '../../../base/checks/issues.ts';
import { conflict } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { findLiveByKeys, type Keyed } from '../by-id-or-key.ts';
import type { GivenRow } from './given-row.ts';
import { type ImportOptions, importAll } from './import-file.ts';
import { FileKeys, FileProblems } from './read-rows.ts';
import type { RowChange } from './report.ts';
import type { ImportRow } from './row.ts';

/** An item as the body alone shows it. */
export interface BatchItem {
  /** Null if it is not valid. */
  externalKey: string | null;
  read: Checked<GivenRow>;
}

export interface BatchResult {
  external_key: string | null;
  /** Null if it was refused, and in a dry run. */
  id: number | null;
  result: 'created' | 'updated' | 'unchanged' | 'refused';
  errors: readonly FieldIssue[];
}

export interface BatchOptions extends Pick<ImportOptions, 'heavy' | 'pause'> {
  isDryRun: boolean;
  isAllOrNothing: boolean;
}

/** Refusing items can make others refusable: those that name a refused parent at once, new cycles one after the other. */
const MOST_ROUNDS = 5;

/**
 * Creates and updates rows by key as an import does; items that are refused are left out, and the others imported
 * without them.
 *
 * @throws Invalid for items that are refused, if it is to be all or nothing; AnotherImport as an import does.
 */
export async function importBatch(
  db: OrganizationDatabase,
  actor: Actor,
  resource: Keyed,
  items: readonly BatchItem[],
  { isAllOrNothing, ...options }: BatchOptions,
): Promise<BatchResult[]> {
  const refusals = refusedAlone(items);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (isAllOrNothing && refusals.size > 0) {
      throw refusedWhole(refusals);
    }
    const rows = items.flatMap(({ read }, line) =>
      read.ok && !refusals.has(line) ? [{ line, given: read.value }] : [],
    );
    const changes = new Map<number, RowChange | null>();
    let ids = new Map<string, number>();
    const outcome = await importAll(
      db,
      actor,
      { resource, read: () => eachOf(rows), problems: () => new FileProblems((line) => `items[${line}]`) },
      {
        ...options,
        onlooker: { begin: () => changes.clear(), row: ({ line }, change) => changes.set(line, change) },
        numbered: async (transaction) => {
          const keys = rows.map(({ given }) => given.external_key ?? '');
          const found = await findLiveByKeys(transaction, resource, transaction.orgId, keys);
          ids = new Map(found.map(({ id, external_key: key }) => [key, id]));
        },
      },
    );
    if (outcome.isImported) {
      return items.map(({ externalKey }, line) => {
        const errors = refusals.get(line);
        const id = (errors === undefined ? ids.get(externalKey ?? '') : undefined) ?? null;
        return {
          external_key: externalKey,
          id,
          result: resultOf(errors, changes.get(line)),
          errors: errors ?? [],
        };
      });
    }
    for (const line of outcome.lines) {
      refusals.set(line, []);
    }
    for (const { line, issue } of outcome.issues) {
      refusals.get(line)?.push(issue);
    }
    refuseBelow(rows, changes, refusals);
  }
  throw conflict(
    'leaving out the refused items makes others refusable again and again; send them in smaller batches',
  );
}

type Refusals = Map<number, FieldIssue[]>;

async function* eachOf(rows: readonly ImportRow[]): AsyncGenerator<ImportRow, void> {
  yield* rows;
}

/** Items that the body alone disqualifies. */
function refusedAlone(items: readonly BatchItem[]): Refusals {
  const refusals: Refusals = new Map();
  const keys = new FileKeys();
  for (const [line, { externalKey, read }] of items.entries()) {
    const issues = read.ok ? [] : [...read.issues];
    const earlier = externalKey === null ? undefined : keys.note(externalKey, line);
    if (earlier !== undefined) {
      issues.push(invalidValue('external_key', `${externalKey} is that of items[${earlier}] already`));
    }
    if (issues.length > 0 || !read.ok) {
      refusals.set(line, issues);
    }
  }
  return refusals;
}

/** Items whose parents would have been created by refused ones. */
function refuseBelow(
  rows: readonly ImportRow[],
  changes: ReadonlyMap<number, RowChange | null>,
  refusals: Refusals,
): void {
  const below = Map.groupBy(rows, ({ given }) => given.parent_external_key);
  const missing = rows.filter(
    ({ line }) => refusals.has(line) && changes.get(line)?.action !== 'update' && changes.get(line) !== null,
  );
  for (const { given } of missing) {
    for (const row of below.get(given.external_key) ?? []) {
      if (!refusals.has(row.line)) {
        refusals.set(row.line, [foreignKeyNotFound('parent_external_key', given.external_key ?? '')]);
        if (changes.get(row.line)?.action === 'create') {
          missing.push(row);
        }
      }
    }
  }
}

function refusedWhole(refusals: Refusals) {
  const issues = [...refusals]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([line, found]) =>
      found.map((issue) => ({
        ...issue,
        field: `items[${line}].${issue.field}`,
        message: `items[${line}]: ${issue.message}`,
      })),
    );
  return invalid(issues);
}

function resultOf(
  errors: readonly FieldIssue[] | undefined,
  change: RowChange | null | undefined,
): BatchResult['result'] {
  if (errors !== undefined) {
    return 'refused';
  }
  return change === null || change === undefined ? 'unchanged' : `${change.action}d`;
}
