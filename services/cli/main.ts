import { CommanderError } from 'commander';
import { addCommands } from './all-commands.ts';
import { commandLine } from './command-line/command-line.ts';
import { reportError, statusOf } from './command-line/report-error.ts';
import { runCommand, running, type Streams } from './running/running.ts';
import { finishOutput, watchOutput } from './running/standard-output.ts';

/**
 * Runs one command. It neither uses nor changes the process, except that signals interrupt it.
 *
 * @param argv the words after `tagtrail`.
 * @returns the exit status.
 */
export function run(argv: readonly string[], streams: Streams, env: NodeJS.ProcessEnv): Promise<number> {
  const isJson = argv.includes('--json');
  return runCommand({ streams, env, isJson }, async () => {
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
      await finishOutput();
      return running().status;
    } catch (error) {
      // Some say what they did before they were interrupted.
      await finishOutput().catch(() => {});
      reportError(error, running());
      return statusOf(error);
    }
  });
}

/** The parser ends by an error after help, too. */
function unlessHelp(error: unknown): void {
  if (!(error instanceof CommanderError) || error.exitCode !== 0) {
    throw error;
  }
}
