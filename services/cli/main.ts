#!/usr/bin/env node
import { AppError, messageOf } from '../shared/errors.ts';
import { commandLine, FAILED, usageStatus, WRONG_USAGE } from './command-line.ts';
import { addAntennaSet } from './commands/antenna-set.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExportAssets } from './commands/export-assets.ts';
import { addFormatAdd } from './commands/format-add.ts';
import { addFormatList } from './commands/format-list.ts';
import { addFormatShow } from './commands/format-show.ts';
import { addFormatTry } from './commands/format-try.ts';
import { addImportAssets } from './commands/import-assets.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addKeyList } from './commands/key-list.ts';
import { addKeyRevoke } from './commands/key-revoke.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOrgCreate } from './commands/org-create.ts';
import { addOrgDelete } from './commands/org-delete.ts';
import { addOrgList } from './commands/org-list.ts';
import { addReaderCreate } from './commands/reader-create.ts';
import { addSimulate } from './commands/simulate.ts';

const program = commandLine();
const commands = [
  addMigrate,
  addOrgCreate,
  addOrgList,
  addOrgDelete,
  addKeyCreate,
  addKeyList,
  addKeyRevoke,
  addReaderCreate,
  addAntennaSet,
  addFormatList,
  addFormatShow,
  addFormatAdd,
  addFormatTry,
  addImportAssets,
  addExportAssets,
  addSimulate,
  addDoctor,
];
for (const add of commands) {
  add(program);
}
process.exitCode = await run();

async function run(): Promise<number> {
  try {
    await program.parseAsync();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const status = usageStatus(error);
    if (status !== null) {
      return status;
    }
    process.stderr.write(`${error instanceof AppError ? error.message : explain(error)}\n`);
    return error instanceof AppError && error.code === 'invalid_input' ? WRONG_USAGE : FAILED;
  }
}

/** A fault nobody foresaw comes with where it happened. */
function explain(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}
