import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { COMPILED } from './compiled.ts';

/** A program of the project, run as a process of its own with only the environment that is given. */
export interface Program {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when standard output has `text`. @throws if it ends before, with what it printed. */
  printed(text: string): Promise<void>;
  /** Resolves with its exit status, or with the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

/** @param path from the project's root, such as `services/cli/tagtrail.ts`. */
export function run(path: string, args: string[] = [], environment: NodeJS.ProcessEnv = {}): Program {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: COMPILED,
      // No load balancer has to be told first; it is five seconds otherwise.
      SHUTDOWN_DELAY_MS: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  const ended = once(child, 'close').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => code ?? signal ?? null,
  );
  return {
    child,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended,
    printed: async (text) => {
      let isOver = false;
      const over = ended.then(() => {
        isOver = true;
      });
      while (!said.stdout.includes(text)) {
        if (isOver) {
          throw new Error(`ended without saying "${text}":\n${said.stdout}\n${said.stderr}`);
        }
        await Promise.race([once(child.stdout, 'data'), over]);
      }
    },
  };
}
