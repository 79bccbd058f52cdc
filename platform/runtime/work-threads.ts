import type { Logger } from 'pino';
import type { Piscina } from 'piscina';
import { AppError } from '../../base/errors.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { TimedTask } from './timed-task.ts';

export interface ThreadTask {
  module: string;
  name: string;
  argument: unknown;
  transferList?: ArrayBuffer[];
  /**
   * Milliseconds of processor time, and up to half as many again, after which the task is ended with its thread. Unlimited if
   * left out.
   */
  most?: number;
}

/** A task took more processor time than it may. */
export class TaskTookTooLong extends AppError {
  constructor(most: number, cause: unknown) {
    super('timed_out', `It took more than ${most / 1_000} s and was ended; try less of it`, { cause });
  }
}

/** A task took more memory than a thread has. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
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

  /** @throws TaskTookTooLong. */
  async run<Result>(task: ThreadTask): Promise<Result> {
    const { module, name, argument, transferList = [], most } = task;
    this.#pool ??= startThreads(this.#log, this.#idle);
    const pool = await this.#pool;
    return most === undefined
      ? pool.run(argument, { filename: module, name, transferList })
      : runWithin(most, pool, task);
  }

  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
  }
}

const TIMED_TASK = new URL('./timed-task.ts', import.meta.url).href;

/** Threads give way to everything else, so it is their processor time that counts: on a busy machine they may wait long for it. */
async function runWithin<Result>(most: number, pool: Piscina, task: ThreadTask): Promise<Result> {
  const { module, name, argument, transferList = [] } = task;
  const runBy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const tooLong = new AbortController();
  let before: NodeJS.CpuUsage | undefined;
  const look = async () => {
    const thread = pool.threads.find(({ threadId }) => threadId === Atomics.load(runBy, 0));
    const used = await thread?.cpuUsage(before);
    if (before === undefined) {
      before = used;
    } else if (used !== undefined && used.user + used.system > most * 1_000) {
      tooLong.abort();
    }
  };
  // A thread that has ended meanwhile cannot be asked.
  const timer = setInterval(() => look().catch(() => {}), most / LOOKS);
  const timed: TimedTask = { module, name, argument, runBy };
  try {
    return await pool.run(timed, { filename: TIMED_TASK, transferList, signal: tooLong.signal });
  } catch (error) {
    wake(pool);
    throw tooLong.signal.aborted ? new TaskTookTooLong(most, error) : error;
  } finally {
    clearInterval(timer);
  }
}

/** The pool replaces an ended thread only when the next task arrives (piscina 5.3), even if tasks wait. */
function wake(pool: Piscina): void {
  if (pool.queueSize > 0) {
    pool.run(undefined, { filename: TIMED_TASK, name: 'nothing' }).catch(() => {});
  }
}

/** Within the time of a task. */
const LOOKS = 4;

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

/** The threads end at shutdown, after everything started later that takes requests and messages. */
export function startWorkThreads(log: Logger, lifecycle: Lifecycle): Promise<WorkThreads> {
  return lifecycle.start(
    'work threads',
    () => new WorkThreads(log),
    (started) => started.close(),
  );
}
