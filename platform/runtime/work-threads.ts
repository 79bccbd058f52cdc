import type { Logger } from 'pino';
import type { Piscina } from 'piscina';

export interface ThreadTask {
  /** URL of the module that exports the function. */
  module: string;
  name: string;
  argument: unknown;
  /** Transferred, not copied. */
  transferList?: ArrayBuffer[];
}

/** Few, like a process's cores: enough that one slow task does not stop all others. */
export const THREADS = 2;

/** Milliseconds. A thread starts in 0.15 s and takes some 30 MB while idle. */
const IDLE = 30_000;

/**
 * Worker threads for what would hold up the main thread, started by the first task. Tasks run in order of arrival:
 * whoever has many bounds them and is fair to tenants itself.
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
    // Behind the thread that answers; elsewhere than on Linux that would be behind other processes.
    niceIncrement: process.platform === 'linux' ? 10 : 0,
    // More than any task takes; what goes beyond it ends the thread and not the process.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    recordTiming: false,
  });
  pool.on('error', (err) => log.error({ err }, 'Worker thread ended; it is replaced'));
  return pool;
}
