import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/organization-door.ts';
import { AppError } from '../../shared/errors.ts';
import { type FieldIssue, invalidValue } from '../../shared/http/issues.ts';
import { readHeader } from './columns.ts';
import { countRows } from './count-rows.ts';
import { CsvFault, type CsvSource, readCsv } from './csv.ts';
import { importRows } from './import-rows.ts';
import { withLeanHeap } from './lean-heap.ts';
import { Postponed } from './postponed.ts';
import { FileProblems } from './problems.ts';
import { drawIds, lockImports } from './queries.ts';
import { emptyReport, type ImportReport } from './report.ts';
import { type ImportRow, readRow } from './row.ts';

/** The largest file, in bytes (10 MiB) and in rows. */
export const FILE_LIMIT = 10_485_760;
export const ROW_LIMIT = 50_000;

/** What came of a file: a report of all of it, or everything that is wrong with it and nothing imported. */
export type ImportOutcome =
  | { isImported: true; report: ImportReport }
  | { isImported: false; issues: readonly FieldIssue[]; leftOut: number };

export interface ImportOptions {
  /** Find out what would be changed, and change nothing. */
  isDryRun: boolean;
  /**
   * Asked once, when nothing else is in the way and before anything is written, with how many rows there are, those that are
   * wrong included. What it throws ends the import.
   */
  admit?(rows: number): Promise<void>;
  /** Told how many rows have been dealt with. */
  onProgress?(rows: number): void;
}

/**
 * Imports a CSV file of assets, all of it or nothing. A row whose `external_key` a live asset has updates that asset:
 * an empty cell leaves the value, tags are added and never detached. Other rows create assets. A dry run is an import
 * that is taken back.
 *
 * @param source may be read more than once: the database can want the transaction to be run again.
 * @throws AppError `conflict` if another import of the organization is under way.
 */
export async function importAssets(
  db: OrganizationDatabase,
  source: CsvSource,
  options: ImportOptions,
): Promise<ImportOutcome> {
  let isAdmitted = options.admit === undefined;
  try {
    return await db.transaction(async (transaction) => {
      if (!(await lockImports(transaction))) {
        throw new AppError(
          'conflict',
          'another import of this organization is under way; try again when it has ended',
        );
      }
      if (!isAdmitted) {
        await options.admit?.(await countRows(source, ROW_LIMIT));
        isAdmitted = true;
      }
      const outcome = await withLeanHeap(() => importFile(transaction, source, options));
      if (options.isDryRun || !outcome.isImported) {
        throw new TakenBack(outcome);
      }
      await drawIds(transaction);
      return outcome;
    });
  } catch (error) {
    if (error instanceof TakenBack) {
      return error.outcome;
    }
    throw error;
  }
}

/** Rolls the transaction back, with its outcome. */
class TakenBack extends Error {
  readonly outcome: ImportOutcome;

  constructor(outcome: ImportOutcome) {
    super('taken back');
    this.outcome = outcome;
  }
}

/**
 * Rows that are dealt with together: so many, or fewer that say much. 50,000 rows with a tag each take 4 s, beside other
 * work 7 to 15; in groups of 1,000 no less time, and more memory. Meanwhile a create that mints its key takes 0.1 s, and
 * 2.2 where all rows of the file are to have one minted.
 */
const GROUP = 250;
const GROUP_SIZE = 262_144;

/** About as much as the row's cells have characters. */
function sizeOf({ asset }: ImportRow): number {
  return 200 + (asset.metadata?.text.length ?? 0) + 20 * (asset.tags?.length ?? 0);
}

async function importFile(
  transaction: OrganizationConnection,
  source: CsvSource,
  { isDryRun, onProgress }: ImportOptions,
): Promise<ImportOutcome> {
  const report = emptyReport(isDryRun);
  const problems = new FileProblems();
  const postponed = new Postponed(isDryRun);
  let group: ImportRow[] = [];
  let size = 0;
  let done = 0;
  const importGroup = async () => {
    await importRows(transaction, group, { report, problems, postponed });
    done += group.length;
    onProgress?.(done);
    group = [];
    size = 0;
  };
  for await (const row of readRows(source, problems)) {
    group.push(row);
    size += sizeOf(row);
    if (group.length === GROUP || size >= GROUP_SIZE) {
      await importGroup();
    }
  }
  await importGroup();
  await postponed.finish(transaction, problems);
  if (problems.areThere) {
    return { isImported: false, issues: problems.inOrder(), leftOut: problems.leftOut };
  }
  return { isImported: true, report };
}

/** The rows that can be imported as far as the file alone tells; what is wrong with the others is noted. */
async function* readRows(source: CsvSource, problems: FileProblems): AsyncGenerator<ImportRow, void> {
  const keys = new Map<string, number>();
  let columns: Parameters<typeof readRow>[0] | null = null;
  let count = 0;
  try {
    for await (const record of readCsv(source)) {
      if (columns === null) {
        const header = readHeader(record.cells);
        if (!header.ok) {
          problems.note(record.line, header.issues);
          return;
        }
        columns = header.value;
        continue;
      }
      count += 1;
      if (count > ROW_LIMIT) {
        problems.note(record.line, [tooManyRows()]);
        return;
      }
      const row = readRow(columns, record);
      const repeated = row.ok ? keys.get(row.value.asset.external_key ?? '') : undefined;
      if (!row.ok) {
        problems.note(record.line, row.issues);
      } else if (repeated !== undefined) {
        problems.note(record.line, [
          invalidValue('external_key', `${row.value.asset.external_key} is on line ${repeated} already`),
        ]);
      } else {
        if (row.value.asset.external_key !== undefined) {
          keys.set(row.value.asset.external_key, record.line);
        }
        yield row.value;
      }
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) {
      throw error;
    }
    problems.note(error.line, [{ field: 'file', code: 'invalid_value', message: error.what }]);
    return;
  }
  if (columns === null) {
    problems.note(1, [invalidValue('file', 'is empty; its first line must name the columns')]);
  }
}

function tooManyRows(): FieldIssue {
  const message = `file must have at most ${ROW_LIMIT} rows`;
  return { field: 'file', code: 'too_long', message, params: { max_length: ROW_LIMIT } };
}
