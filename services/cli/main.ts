#!/usr/bin/env node
import { AppError, messageOf } from '../shared/errors.ts';
import { commandLine, FAILED, usageStatus, WRONG_USAGE } from './command-line.ts';
import { addAntennaSet } from './commands/antenna-set.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOrgCreate } from './commands/org-create.ts';
import { addReaderCreate } from './commands/reader-create.ts';
import { addReaderDelete } from './commands/reader-delete.ts';
import { addReaderList } from './commands/reader-list.ts';
import { addReaderSet } from './commands/reader-set.ts';
import { addRejectedList } from './commands/rejected-list.ts';
import { addRejectedReplay } from './commands/rejected-replay.ts';
import { addRejectedShow } from './commands/rejected-show.ts';
import { addUnknownTagsAttach } from './commands/unknown-tags-attach.ts';
import { addUnknownTagsList } from './commands/unknown-tags-list.ts';

const program = commandLine();
const commands = [
  addMigrate,
  addOrgCreate,
  addKeyCreate,
  addReaderCreate,
  addReaderSet,
  addReaderDelete,
  addReaderList,
  addAntennaSet,
  addUnknownTagsList,
  addUnknownTagsAttach,
  addRejectedList,
  addRejectedShow,
  addRejectedReplay,
];
for (const add of commands) {
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
