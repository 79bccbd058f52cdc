/** A task that may not take for ever, as its worker thread gets it. */
export interface TimedTask {
  module: string;
  name: string;
  argument: unknown;
  /** One number, shared with those who wait: 1 once the task has begun. */
  begun: Int32Array<SharedArrayBuffer>;
}

/** Says when it begins, so that its time does not pass while it waits for a thread. */
export default async function runTimed({ module, name, argument, begun }: TimedTask): Promise<unknown> {
  Atomics.store(begun, 0, 1);
  const work = (await import(module))[name];
  return work(argument);
}

export function nothing(): void {}
