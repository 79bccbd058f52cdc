import type { Logger } from 'pino';
import type { Piscina } from 'piscina';

/** What a thread is to do. */
export interface ThreadTask {
  /** Address of the module that exports the function. */
  module: string;
  name: string;
  argument: unknown;
  /** Handed over, not copied. */
  transferList?: ArrayBuffer[];
}

/** A process has few cores: as many threads as keep one slow task from stopping all others. */
export const THREADS = 2;

/** A thread begins in 0.15 s, and keeps some 30 MB while it has nothing to do. */
const IDLE = 30_000;

/**
 * Threads for what would hold up the thread that answers everybody. They begin with the first task. Whoever has many
 * tasks bounds them and lets tenants take turns: here they are done in the order in which they come.
 */
export class WorkThreads {
  readonly #log: Logger;
  readonly #idle: number;
  #pool: Promise<Piscina> | null = null;

  /** @param options.idle milliseconds after which a thread that has nothing to do ends. */
  constructor(log: Logger, { idle = IDLE } = {}) {
    this.#log = log;
    this.#idle = idle;
  }

  async run<Result>({ module, name, argument, transferList = [] }: ThreadTask): Promise<Result> {
    this.#pool ??= startThreads(this.#log, this.#idle);
    return (await this.#pool).run(argument, { filename: module, name, transferList });
  }

  /** Ends the threads, whatever they do. */
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
