import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load, Measured } from './load.ts';

export interface ServerProcess {
  url: string;
  pid: number;
  /** @param signal SIGTERM unless it is to have no chance to do anything. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** @param file below this folder; the process says `{ url }` when it listens, and ends when it is told to. */
export async function startServer(file: string, environment: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const child = forkFile(file, environment);
  const { url } = (await answerOf(child)) as { url: string };
  return {
    url,
    pid: child.pid ?? 0,
    stop: async (signal = 'SIGTERM') => {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

/** Lets a new process generate the load; nothing is left warm or busy from the load before. */
export async function measure(load: Load): Promise<Measured> {
  const child = forkFile('load.ts');
  child.send(load);
  const measured = (await answerOf(child)) as Measured;
  await once(child, 'exit');
  return measured;
}

/** A program below this folder, as a process of its own with a channel to this one. */
export function forkFile(file: string, environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  // What it logs goes nowhere, and is written all the same.
  return fork(path, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The next message of a process. @throws if it ends before. */
export async function answerOf(child: ChildProcess): Promise<unknown> {
  const listening = new AbortController();
  const { signal } = listening;
  const over = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.at(-1)} ended with status ${code}`);
  });
  over.catch(() => {});
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal }), over]);
    return answer;
  } finally {
    listening.abort();
  }
}
