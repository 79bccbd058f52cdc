import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';

interface Progress {
  show(text: string): void;
  end(): void;
}

/** As `process` has them. */
export interface Streams {
  stdin: Readable;
  stdout: Output;
  stderr: Output;
}

/** `isTTY` and `columns` are those of a terminal. */
type Output = Writable & { isTTY?: boolean; columns?: number };

/** A running command, with what it uses instead of `process`: several may run in one process. */
export interface Running {
  streams: Streams;
  env: NodeJS.ProcessEnv;
  /** Whether it was asked for one JSON document and nothing else. */
  isJson: boolean;
  /** Its JSON document, printed at the end. */
  document: string | null;
  /** The exit status, unless the command throws. */
  status: number;
  /** Why standard output could not be written. */
  outputFault: Error | null;
}

const commands = new AsyncLocalStorage<Running>();

/** The command that the caller is part of. */
export function running(): Running {
  const command = commands.getStore();
  if (command === undefined) {
    throw new Error('No command is running');
  }
  return command;
}

export function runCommand<Result>(
  { streams, env, isJson }: Pick<Running, 'streams' | 'env' | 'isJson'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return commands.run({ streams, env, isJson, document: null, status: 0, outputFault: null }, work);
}

/** One line on standard error that changes; silent unless that is a terminal. */
export function showProgress(): Progress {
  const { stderr } = running().streams;
  if (stderr.isTTY !== true) {
    return { show: () => {}, end: () => {} };
  }
  return {
    show: (text) => stderr.write(`\r\u001b[2K${text.slice(0, (stderr.columns ?? 80) - 1)}`),
    end: () => stderr.write('\r\u001b[2K'),
  };
}
