import type { Logger } from 'pino';
import type { Piscina } from 'piscina';

export interface ThreadTask {
  module: string;
  name: string;
  argument: unknown;
  transferList?: ArrayBuffer[];
}

/** Few, like a process's cores, but enough that one slow task does not stop all others. */
export const THREADS = 2;

/** Milliseconds. A thread starts in 0.15 s and takes some 30 MB while idle. */
const IDLE = 30_000;

/**
 * Worker threads for work that would hold up the main thread, started by the first task. Tasks run in order
 * of arrival: callers bound their number and are fair to tenants themselves.
 */
export class WorkThreads {
  readonly #log: Logger;
  readonly #idle: number;
  #pool: Promise<Piscina> | null = null;

  /** @param options.idle milliseconds after which an idle thread ends. */
  constructor(log: Logger, { idle = IDLE } = {}) {
    this.#log = log;
    this.#idle = idle;
  }

  async run<Result>({ module, name, argument, transferList = [] }: ThreadTask): Promise<Result> {
    this.#pool ??= startThreads(this.#log, this.#idle);
    return (await this.#pool).run(argument, { filename: module, name, transferList });
  }

  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
  }
}

async function startThreads(log: Logger, idle: number): Promise<Piscina> {
  const { Piscina: Threads } = await import('piscina');
  const pool = new Threads({
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: idle,
    // Lower priority than the main thread; outside Linux it would apply to the whole process.
    niceIncrement: process.platform === 'linux' ? 10 : 0,
    // More than any task takes; exceeding it ends the thread and not the process.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    recordTiming: false,
  });
  pool.on('error', (err) => log.error({ err }, 'Worker thread ended; it is replaced'));
  return pool;
}
