#!/usr/bin/env node
import { AppError, messageOf } from '../shared/errors.ts';
import { commandLine, FAILED, usageStatus, WRONG_USAGE } from './command-line.ts';
import { addAntennaSet } from './commands/antenna-set.ts';
import { addHandheldCreate } from './commands/handheld-create.ts';
import { addHandheldList } from './commands/handheld-list.ts';
import { addHandheldRevoke } from './commands/handheld-revoke.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOrgCreate } from './commands/org-create.ts';
import { addReaderCreate } from './commands/reader-create.ts';

const program = commandLine();
for (const add of [
  addMigrate,
  addOrgCreate,
  addKeyCreate,
  addReaderCreate,
  addAntennaSet,
  addHandheldCreate,
  addHandheldList,
  addHandheldRevoke,
]) {
  add(program);
}
process.exitCode = await run();

async function run(): Promise<number> {
  try {
    await program.parseAsync();
    return 0;
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
