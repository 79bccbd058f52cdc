import { AppError } from '../../../base/errors.ts';
import { greatestOf } from '../../../base/extremes.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { type CsvSource, readCsv } from '../imports/csv.ts';
import { CsvFault } from '../imports/csv-records.ts';
import type { ImportOptions, ImportOutcome } from '../imports/import-file.ts';
import type { RowIssue } from '../imports/read-rows.ts';
import { emptyReport, type ImportReport, type RespelledTag } from '../imports/report.ts';
import { DifferenceOfFile, type FileDifference } from './difference-of-file.ts';
import type { KeptImport } from './find-import.ts';

/** Imports a file with options of the caller's beside these. */
export type RunImport = (
  source: CsvSource,
  options: Pick<ImportOptions, 'isDryRun' | 'onProgress' | 'onlooker' | 'conclude'>,
) => Promise<ImportOutcome>;

const CHANGED =
  'The data has changed meanwhile, so the file would make other changes than shown. Nothing was imported; check the new differences';

class ChangedMeanwhile extends AppError {
  constructor() {
    super('conflict', CHANGED);
  }
}

/** Finds the changes of a kept file by importing it and rolling back. */
export function checkImport(
  db: OrganizationDatabase,
  { id, resource }: Pick<KeptImport, 'id' | 'resource'>,
  run: RunImport,
): Promise<void> {
  const source = fileOf(db, id);
  const difference = new DifferenceOfFile(resource);
  return workOn(db, { id, kind: 'checking' }, async (onProgress) => {
    const outcome = await run(source, { isDryRun: true, onProgress, onlooker: difference });
    await keep(db, id, outcome, difference);
  });
}

/**
 * Imports a kept file if it still makes exactly the changes shown; otherwise keeps the new differences.
 *
 * @throws AppError `conflict` if it would change something else, or can no longer be imported.
 */
export async function applyImport(
  db: OrganizationDatabase,
  { id, resource, digest }: Pick<KeptImport, 'id' | 'resource' | 'digest'>,
  run: RunImport,
): Promise<void> {
  const source = fileOf(db, id);
  const difference = new DifferenceOfFile(resource);
  let report: ImportReport | null = null;
  const conclude = async (transaction: OrganizationChange, ofFile: ImportReport) => {
    report = ofFile;
    if (digest === null || !difference.digest().equals(digest)) {
      throw new ChangedMeanwhile();
    }
    if (!(await keepApplied(transaction, id, withoutFaults(difference, report)))) {
      throw new AppError('conflict', 'Somebody else has applied or discarded the file');
    }
  };
  await workOn(db, { id, kind: 'applying' }, async (onProgress) => {
    const options = { isDryRun: false, onProgress, onlooker: difference, conclude };
    const outcome = await run(source, options).catch((error: unknown) => {
      if (error instanceof ChangedMeanwhile) {
        return null;
      }
      throw error;
    });
    if (outcome?.isImported !== true) {
      await keep(db, id, outcome ?? { isImported: true, report: report ?? emptyReport(false) }, difference);
      throw new ChangedMeanwhile();
    }
  });
}

async function keep(
  db: OrganizationDatabase,
  id: number,
  imported: ImportOutcome,
  difference: DifferenceOfFile,
): Promise<void> {
  if (imported.isImported) {
    await keepChecked(db, id, withoutFaults(difference, imported.report), difference.digest());
    return;
  }
  const { issues, leftOut, lines } = imported;
  const faults = await faultsOf(fileOf(db, id), issues);
  await keepChecked(db, id, { ...difference.difference(lines), faults, faults_left_out: leftOut }, null);
}

function withoutFaults(difference: DifferenceOfFile, { respelled = [] }: ImportReport): Outcome {
  const notes = respelled.length === 0 ? {} : { respelled: respelled.slice(0, MOST_RESPELLED) };
  return { ...difference.difference(new Set()), faults: [], faults_left_out: 0, ...notes };
}

const MOST_RESPELLED = 100;

interface Outcome extends FileDifference {
  faults: readonly FileFault[];
  faults_left_out: number;
  respelled?: readonly RespelledTag[];
}

/** Keeps what a file would change. @param digest null if it cannot be imported. */
async function keepChecked(
  connection: OrganizationConnection,
  id: number,
  outcome: Outcome,
  digest: Buffer | null,
): Promise<void> {
  await connection.exec(sql.type(NO_ROWS)`
    update imports set state = 'checked', checked_at = now(), outcome = ${writeJson(outcome)}::json,
      rows = ${outcome.rows}, digest = ${digest === null ? null : sql.binary(digest)}
    where org_id = ${connection.orgId} and id = ${id} and state <> 'applied'`);
}

/** Keeps the changes that a file made, and drops the file. @returns false if it was applied already, or is gone. */
async function keepApplied(
  transaction: OrganizationConnection,
  id: number,
  outcome: Outcome,
): Promise<boolean> {
  const row = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
    update imports set state = 'applied', applied_at = now(), outcome = ${writeJson(outcome)}::json,
      rows = ${outcome.rows}
    where org_id = ${transaction.orgId} and id = ${id} and state = 'checked'
    returning id`);
  await transaction.exec(sql.type(NO_ROWS)`
    delete from import_parts where org_id = ${transaction.orgId} and import_id = ${id}`);
  return row !== null;
}

/** A kept file, piece by piece: one is in memory. */
function fileOf(connection: OrganizationConnection, id: number): CsvSource {
  return async function* () {
    for (let part = 0; ; part++) {
      const row = await connection.maybeOne(sql.prepared('read-import-part', rowsOf<{ content: Buffer }>())`
        select content from import_parts
        where org_id = ${connection.orgId} and import_id = ${id} and part = ${part}`);
      if (row === null) {
        return;
      }
      yield row.content;
    }
  };
}

const SECOND = 1_000;

/**
 * Says every second that a file is worked on, and how far, so that others can watch, and know if the process is gone.
 * Nothing that the work locks is touched.
 */
async function workOn<Result>(
  connection: OrganizationConnection,
  { id, kind }: { id: number; kind: 'checking' | 'applying' },
  work: (progress: (rows: number) => void) => Promise<Result>,
): Promise<Result> {
  let rows = 0;
  let saying = Promise.resolve();
  const say = () => {
    saying = saying.then(() => note(connection, id, kind, rows)).catch(() => {});
  };
  await note(connection, id, kind, rows);
  const timer = setInterval(say, SECOND);
  try {
    return await work((done) => {
      rows = done;
    });
  } finally {
    clearInterval(timer);
    await saying;
    await connection.exec(sql.type(NO_ROWS)`
      delete from import_work where org_id = ${connection.orgId} and import_id = ${id}`);
  }
}

async function note(connection: OrganizationConnection, id: number, kind: string, rows: number) {
  await connection.any(sql.prepared('note-import-work', rowsOf<Record<never, never>>())`
    insert into import_work (org_id, import_id, kind, done_rows)
    values (${connection.orgId}, ${id}, ${kind}, ${rows})
    on conflict (org_id, import_id) do update set kind = excluded.kind, seen_at = now(), done_rows = excluded.done_rows`);
}

interface FileFault {
  line: number;
  column: string;
  /** The cell, cut if it is long; null if the fault is of the line or the file. */
  value: string | null;
  code: string;
  message: string;
}

/** UTF-16 units. */
const LONGEST_VALUE = 200;

/** Reads the file once more, for the cells' texts. */
async function faultsOf(source: CsvSource, issues: readonly RowIssue[]): Promise<FileFault[]> {
  const faults = issues.map(faultOf);
  const byLine = Map.groupBy(faults, ({ line }) => line);
  const last = greatestOf(byLine.keys());
  let columns: string[] | null = null;
  try {
    for await (const { line, cells } of readCsv(source)) {
      if (line > last) {
        break;
      }
      columns ??= cells.map((cell) => cell.trim().toLowerCase());
      for (const fault of byLine.get(line) ?? []) {
        fault.value = cellOf(cells, columns.indexOf(fault.column));
      }
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) {
      throw error;
    }
  }
  return faults;
}

function faultOf({ line, issue: { field, code, message } }: RowIssue): FileFault {
  // `tags[0].value` is in the column `tags`.
  return { line, column: /^[^.[]+/.exec(field)?.[0] ?? field, value: null, code, message };
}

function cellOf(cells: readonly string[], index: number): string | null {
  const cell = cells[index] ?? null;
  return cell === null || cell.length <= LONGEST_VALUE
    ? cell
    : `${cell.slice(0, LONGEST_VALUE)}…`.toWellFormed();
}
