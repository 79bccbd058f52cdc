import { CommanderError } from 'commander';
import { addCommands } from './all-commands.ts';
import { commandLine } from './command-line/command-line.ts';
import { linesForTerminal } from './command-line/for-terminal.ts';
import { jsonOfError, statusOf, textOfError } from './command-line/report-error.ts';
import { runCommand, running, type Streams } from './running/running.ts';
import { outputTaken, ReaderGone, watchOutput } from './running/standard-output.ts';

/**
 * Runs one command. Nothing of the process is used or left changed, except that interruptions of the process interrupt it.
 *
 * @param argv what is typed after `tagtrail`.
 * @returns the exit status.
 */
export function run(argv: readonly string[], streams: Streams, env: NodeJS.ProcessEnv): Promise<number> {
  return runCommand(streams, env, async () => {
    const isJson = argv.includes('--json');
    watchOutput();
    let help = '';
    try {
      const program = commandLine().configureOutput({
        writeOut: (text) => {
          help += text;
        },
        // With --json, usage errors are reported below like any other.
        writeErr: (text) => isJson || streams.stderr.write(text),
        getOutHelpWidth: () => streams.stdout.columns ?? 80,
        getErrHelpWidth: () => streams.stderr.columns ?? 80,
      });
      await addCommands(program, argv);
      await program.parseAsync(argv, { from: 'user' }).catch(unlessHelp);
      if (help !== '') {
        streams.stdout.write(isJson ? `${JSON.stringify({ help })}\n` : help);
      }
      await outputTaken();
      return running().status;
    } catch (error) {
      const status = statusOf(error);
      if (isJson && !(error instanceof ReaderGone)) {
        streams.stderr.write(`${JSON.stringify(jsonOfError(error))}\n`);
      } else if (!(error instanceof CommanderError || error instanceof ReaderGone)) {
        streams.stderr.write(`${linesForTerminal(textOfError(error))}\n`);
      }
      return status;
    }
  });
}

/** The parser ends by an error after help, too. */
function unlessHelp(error: unknown): void {
  if (!(error instanceof CommanderError) || error.exitCode !== 0) {
    throw error;
  }
}
