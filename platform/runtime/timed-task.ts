import { threadId } from 'node:worker_threads';

/** A task with a time limit, as its worker thread gets it. */
export interface TimedTask {
  module: string;
  name: string;
  argument: unknown;
  /** One number, shared with those who wait: the id of the thread once the task has begun, and 0 before. */
  runBy: Int32Array<SharedArrayBuffer>;
}

/** Says when it begins, so that its time does not pass while it waits for a thread. */
export default async function runTimed({ module, name, argument, runBy }: TimedTask): Promise<unknown> {
  Atomics.store(runBy, 0, threadId);
  const work = (await import(module))[name];
  return work(argument);
}

export function nothing(): void {}
