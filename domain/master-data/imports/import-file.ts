import { AppError } from '../../../base/errors.ts';
import { LeanHeap } from '../../../base/heap.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { ASSET_COLUMNS } from '../columns.ts';
import { jsonLength } from '../stored-columns.ts';
import { type CsvSource, readCsv } from './csv.ts';
import { CsvFault } from './csv-records.ts';
import { HERE, type HeavyWork } from './heavy-work.ts';
import { importRows, type Onlooker } from './import-rows.ts';
import { Postponed } from './parents-and-tags.ts';
import {
  FileKeys,
  type FileNotes,
  FileProblems,
  ROW_LIMIT,
  type RowIssue,
  readRows,
  refuseNameless,
} from './read-rows.ts';
import { emptyReport, type ImportReport } from './report.ts';
import type { ImportRow } from './row.ts';
import { lockImports } from './stored-rows.ts';

export class AnotherImport extends AppError {
  constructor() {
    super('conflict', 'another import of this organization is under way; try again when it has ended');
  }
}

/** The result of an import: a report, or everything that is wrong, with nothing imported. */
export type ImportOutcome =
  | { isImported: true; report: ImportReport }
  | { isImported: false; issues: readonly RowIssue[]; leftOut: number; lines: ReadonlySet<number> };

export interface ImportOptions {
  isDryRun: boolean;
  heavy?: HeavyWork;
  /** Awaited before each statement, inside the transaction; a statement takes a fraction of a second. */
  pause?: Pause;
  onProgress?(rows: number): void;
  onlooker?: Onlooker;
  /**
   * Called before a file without faults is committed, in the transaction, though never by a dry run. An error undoes the
   * import.
   */
  conclude?(transaction: OrganizationChange, report: ImportReport): Promise<void>;
  /** Called last in the transaction, when all rows have their ids; nothing may be refused any more. */
  numbered?(transaction: OrganizationChange): Promise<void>;
}

export interface FileOptions extends Omit<ImportOptions, 'numbered'> {
  /**
   * Called once, before anything is written, with the size of the file, faulty rows included. An error ends the import.
   */
  admit?(size: FileSize): Promise<void>;
  heap?: LeanHeap;
}

/**
 * Imports a CSV file of assets or locations, all or nothing.
 *
 * @param source may be read again: the transaction may be retried.
 * @throws AnotherImport if one of the organization is running.
 */
export function importFile(
  db: OrganizationDatabase,
  actor: Actor,
  resource: Keyed,
  source: CsvSource,
  { heap = new LeanHeap(), admit, ...options }: FileOptions,
): Promise<ImportOutcome> {
  const { heavy = HERE } = options;
  let isAdmitted = admit === undefined;
  const read = async function* (notes: FileNotes) {
    if (!isAdmitted) {
      await admit?.(await sizeOfFile(source, ROW_LIMIT));
      isAdmitted = true;
    }
    yield* readRows(resource, source, notes, heavy);
  };
  return heap.during(() =>
    importAll(db, actor, { resource, read, problems: () => new FileProblems() }, options),
  );
}

/** Rows to import, read again if the transaction is retried. */
interface Rows {
  resource: Keyed;
  read(notes: FileNotes): AsyncIterable<ImportRow>;
  problems(): FileProblems;
}

/**
 * Imports rows, all or nothing. A row whose `external_key` is live updates it: what is not given stays, tags are added
 * and never detached. Other rows create. A dry run is an import that is rolled back.
 *
 * @throws AnotherImport if one of the organization is running.
 */
export async function importAll(
  db: OrganizationDatabase,
  actor: Actor,
  rows: Rows,
  options: ImportOptions,
): Promise<ImportOutcome> {
  try {
    await options.pause?.();
    return await makeChange({ transaction: db.longTransaction }, actor, async (unpaused) => {
      const transaction = options.pause === undefined ? unpaused : pausing(unpaused, options.pause);
      if (!(await lockImports(transaction))) {
        throw new AnotherImport();
      }
      const postponed = new Postponed(rows.resource, options.isDryRun);
      const outcome = await importInto(transaction, rows, options, postponed);
      if (options.isDryRun || !outcome.isImported) {
        throw new RolledBack(outcome);
      }
      await options.conclude?.(transaction, outcome.report);
      await postponed.number(transaction);
      await options.numbered?.(transaction);
      // Rows are logged as they are written.
      return changed<ImportOutcome>(outcome, []);
    });
  } catch (error) {
    if (error instanceof RolledBack) {
      return error.outcome;
    }
    throw error;
  }
}

class RolledBack extends Error {
  readonly outcome: ImportOutcome;

  constructor(outcome: ImportOutcome) {
    super('rolled back');
    this.outcome = outcome;
  }
}

/**
 * Rows per statement, fewer if they are long. 50,000 rows with a tag each take 4 s, beside other work 7 to
 * 15; groups of 1,000 take no less time, and more memory. Meanwhile a create that mints its key takes 0.1 s,
 * and 2.2 if all rows of the file mint theirs.
 */
const GROUP = 250;
const GROUP_SIZE = 262_144;

function sizeOf({ given }: ImportRow): number {
  return 200 + jsonLength(ASSET_COLUMNS, given) + 20 * (given.tags?.length ?? 0);
}

async function importInto(
  transaction: OrganizationChange,
  { resource, read, problems: noProblems }: Rows,
  { isDryRun, onProgress, heavy = HERE, onlooker }: ImportOptions,
  postponed: Postponed,
): Promise<ImportOutcome> {
  onlooker?.begin();
  const report = emptyReport(isDryRun);
  const notes = { problems: noProblems(), keys: new FileKeys(), nameless: new Map<string, number>() };
  const { problems } = notes;
  let group: ImportRow[] = [];
  let size = 0;
  let done = 0;
  const importGroup = async () => {
    await importRows(transaction, group, {
      ...{ resource, report, problems, keys: notes.keys, postponed, onlooker },
      same: heavy.same,
    });
    done += group.length;
    onProgress?.(done);
    group = [];
    size = 0;
  };
  for await (const row of read(notes)) {
    group.push(row);
    size += sizeOf(row);
    if (group.length === GROUP || size >= GROUP_SIZE) {
      await importGroup();
    }
  }
  await importGroup();
  await refuseNameless(transaction, resource, notes);
  await postponed.finish(transaction, notes);
  if (problems.areThere) {
    return {
      isImported: false,
      issues: problems.inOrder(),
      leftOut: problems.leftOut,
      lines: problems.lines,
    };
  }
  return { isImported: true, report };
}

/** How much work a file is: rows below the header, and bytes. */
interface FileSize {
  rows: number;
  bytes: number;
}

/**
 * Measures a file up to its first CSV fault, or one row beyond `most`. The largest files take 0.1 to 0.7 s on a busy
 * machine, and 4 or more to import.
 */
async function sizeOfFile(source: CsvSource, most: number): Promise<FileSize> {
  let [records, bytes] = [0, 0];
  const counted = async function* () {
    for await (const piece of source()) {
      bytes += piece.length;
      yield piece;
    }
  };
  try {
    for await (const _ of readCsv(counted)) {
      records += 1;
      if (records > most) {
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) {
      throw error;
    }
  }
  return { rows: Math.max(0, records - 1), bytes };
}

type Pause = () => Promise<void>;

function pausing<Connection extends OrganizationConnection>(
  connection: Connection,
  pause: Pause,
): Connection {
  const paused = <Arguments extends unknown[], Result>(send: (...values: Arguments) => Promise<Result>) => {
    return async (...values: Arguments) => {
      await pause();
      return send(...values);
    };
  };
  return {
    ...connection,
    any: paused(connection.any) as OrganizationConnection['any'],
    one: paused(connection.one) as OrganizationConnection['one'],
    maybeOne: paused(connection.maybeOne) as OrganizationConnection['maybeOne'],
    exec: paused(connection.exec),
  };
}
