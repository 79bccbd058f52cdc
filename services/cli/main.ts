#!/usr/bin/env node
import { CommanderError } from 'commander';
import { addCommands } from './all-commands.ts';
import { commandLine } from './command-line/command-line.ts';
import { linesForTerminal } from './command-line/for-terminal.ts';
import { jsonOfError, statusOf, textOfError } from './command-line/report-error.ts';
import { outputTaken, ReaderGone, watchOutput } from './command-line/standard-output.ts';

const isJson = process.argv.includes('--json');
const program = commandLine();
if (isJson) {
  // Usage errors are then reported like any other error.
  program.configureOutput({ writeErr: () => {} });
}
await addCommands(program, process.argv.slice(2));
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
