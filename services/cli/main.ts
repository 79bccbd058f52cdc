#!/usr/bin/env node
import { CommanderError } from 'commander';
import { commandLine } from './command-line/command-line.ts';
import { linesForTerminal } from './command-line/for-terminal.ts';
import { jsonOfError, statusOf, textOfError } from './command-line/report-error.ts';
import { outputTaken, ReaderGone, watchOutput } from './command-line/standard-output.ts';
import { addAntennaSet } from './commands/antenna-set.ts';
import { addDatabaseChecksums } from './commands/database-checksums.ts';
import { addDatabaseCopy } from './commands/database-copy.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExportAssets } from './commands/export-assets.ts';
import { addExportLocations } from './commands/export-locations.ts';
import { addFormatAdd } from './commands/format-add.ts';
import { addFormatList } from './commands/format-list.ts';
import { addFormatShow } from './commands/format-show.ts';
import { addFormatTry } from './commands/format-try.ts';
import { addHandheldCreate } from './commands/handheld-create.ts';
import { addHandheldList } from './commands/handheld-list.ts';
import { addHandheldRevoke } from './commands/handheld-revoke.ts';
import { addHistoryRecompute } from './commands/history-recompute.ts';
import { addImportAssets } from './commands/import-assets.ts';
import { addImportLocations } from './commands/import-locations.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addKeyList } from './commands/key-list.ts';
import { addKeyRevoke } from './commands/key-revoke.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOrgCreate } from './commands/org-create.ts';
import { addOrgDelete } from './commands/org-delete.ts';
import { addOrgList } from './commands/org-list.ts';
import { addReaderCreate } from './commands/reader-create.ts';
import { addReaderDelete } from './commands/reader-delete.ts';
import { addReaderList } from './commands/reader-list.ts';
import { addReaderSet } from './commands/reader-set.ts';
import { addRejectedDismiss } from './commands/rejected-dismiss.ts';
import { addRejectedList } from './commands/rejected-list.ts';
import { addRejectedReplay } from './commands/rejected-replay.ts';
import { addRejectedShow } from './commands/rejected-show.ts';
import { addSimulate } from './commands/simulate.ts';
import { addSmoothingSet } from './commands/smoothing-set.ts';
import { addSmoothingShow } from './commands/smoothing-show.ts';
import { addSmoothingTry } from './commands/smoothing-try.ts';
import { addUnknownTagsAttach } from './commands/unknown-tags-attach.ts';
import { addUnknownTagsIgnore } from './commands/unknown-tags-ignore.ts';
import { addUnknownTagsList } from './commands/unknown-tags-list.ts';

const isJson = process.argv.includes('--json');
const program = commandLine();
if (isJson) {
  // Wrong usage is told like any other error then.
  program.configureOutput({ writeErr: () => {} });
}
const commands = [
  addMigrate,
  addOrgCreate,
  addOrgList,
  addOrgDelete,
  addKeyCreate,
  addKeyList,
  addKeyRevoke,
  addReaderCreate,
  addReaderSet,
  addReaderDelete,
  addReaderList,
  addAntennaSet,
  addFormatList,
  addFormatShow,
  addFormatAdd,
  addFormatTry,
  addHandheldCreate,
  addHandheldList,
  addHandheldRevoke,
  addUnknownTagsList,
  addUnknownTagsAttach,
  addUnknownTagsIgnore,
  addRejectedList,
  addRejectedShow,
  addRejectedReplay,
  addRejectedDismiss,
  addSmoothingSet,
  addSmoothingShow,
  addSmoothingTry,
  addHistoryRecompute,
  addImportAssets,
  addImportLocations,
  addExportAssets,
  addExportLocations,
  addSimulate,
  addDoctor,
  addDatabaseCopy,
  addDatabaseChecksums,
];
for (const add of commands) {
  add(program);
}
watchOutput();
process.exitCode = await run();

async function run(): Promise<number> {
  try {
    await program.parseAsync();
    await outputTaken();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const status = statusOf(error);
    if (isJson && status !== 0 && !(error instanceof ReaderGone)) {
      process.stderr.write(`${JSON.stringify(jsonOfError(error))}\n`);
    } else if (!(error instanceof CommanderError || error instanceof ReaderGone)) {
      process.stderr.write(`${linesForTerminal(textOfError(error))}\n`);
    }
    return status;
  }
}
