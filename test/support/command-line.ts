import { Readable, Writable } from 'node:stream';
import { expect } from 'chai';
import type { Command } from 'commander';
import { addCommands } from '../../services/cli/all-commands.ts';
import { commandLine } from '../../services/cli/command-line/command-line.ts';
import { run } from '../../services/cli/main.ts';
import type { TestDatabase } from './database.ts';

export interface EndedCommand {
  status: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command in this process, with only the environment that is given. For signals, pipes and whatever else a real
 * process has: `run('services/cli/tagtrail.ts', ...)` of process.ts.
 */
export async function runCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  stdin: string | Uint8Array = '',
): Promise<EndedCommand> {
  const [stdout, stderr] = [collector(), collector()];
  const streams = {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  const status = await run(args, streams, env);
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** The command line with every command, as for its help. */
export async function wholeCommandLine(): Promise<Command> {
  const program = commandLine();
  await addCommands(program, []);
  return program;
}

/** What is typed for each command: its noun, and its verb if there is one. */
export function typed(program: Command): string[][] {
  return program.commands.flatMap((noun) =>
    noun.commands.length === 0 ? [[noun.name()]] : noun.commands.map((verb) => [noun.name(), verb.name()]),
  );
}

export function commandLineOn(
  database: () => Pick<TestDatabase, 'url'>,
  environment: Readonly<Record<string, string>> = {},
) {
  const tagtrail = (...args: string[]) => runCommand(args, { DATABASE_URL: database().url, ...environment });
  return {
    tagtrail,
    /** The one JSON document on standard output of a command that succeeds. */
    json: async (...args: string[]) => {
      const { status, stdout, stderr } = await tagtrail(...args, '--json');
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      return JSON.parse(stdout);
    },
    fails: async (status: number, message: string, ...args: string[]) => {
      const ended = await tagtrail(...args);
      expect(ended).to.deep.include({ status, stdout: '' });
      expect(ended.stderr).to.include(message);
    },
  };
}
