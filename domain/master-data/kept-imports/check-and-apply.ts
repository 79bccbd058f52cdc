import { AppError } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import type { CsvSource } from '../imports/csv.ts';
import type { ImportOptions, ImportOutcome } from '../imports/import-file.ts';
import { emptyReport, type ImportReport } from '../imports/report.ts';
import { DifferenceOfFile } from './difference-of-file.ts';
import { faultsOf } from './faults.ts';
import type { KeptImport } from './find-import.ts';
import { keepApplied, keepChecked, type Outcome } from './keep-outcome.ts';
import { fileOf } from './read-file.ts';
import { workOn } from './work-on.ts';

/** Imports a file with options of the caller's beside these. */
export type RunImport = (
  source: CsvSource,
  options: Pick<ImportOptions, 'isDryRun' | 'onProgress' | 'onlooker' | 'conclude'>,
) => Promise<ImportOutcome>;

const CHANGED =
  'What the file would change is no longer what was shown, because the data has changed meanwhile. Nothing was imported; look at it again';

class ChangedMeanwhile extends AppError {
  constructor() {
    super('conflict', CHANGED);
  }
}

/** Finds what a kept file would change, by importing it and rolling back. */
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
 * Imports a kept file if it changes exactly what was shown; otherwise what it would change now is kept instead.
 *
 * @throws AppError `conflict` if it would change something else, or cannot be imported any more.
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
