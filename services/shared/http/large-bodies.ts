import type { Logger } from 'pino';
import type { Piscina } from 'piscina';
import { FairSemaphore } from '../../../db/timescale/fair-semaphore.ts';
import { AppError } from '../errors.ts';
import type { Body } from './body.ts';
import type { BodyTask } from './body-thread.ts';
import { type CheckedBody, checkBody, takeBody } from './checked-body.ts';
import { type Caller, Problem } from './problem.ts';
import { sameJsonText } from './same-json.ts';

/** Bodies and texts of more bytes than that are looked at in threads of their own. That many take about a millisecond. */
export const LARGE = 32_768;

/** Bodies of one organization, and milliseconds; 24 MiB of bodies, which is what there is room for (`body-room.ts`), are some 3 s of work. */
const MOST_WAITING = 1_000;
const PATIENCE = 20_000;

/** An organization has one at most, so that another one's body does not wait for all of its bodies. */
const THREADS = 2;

/** A thread begins in 0.15 s, and keeps some 30 MB while it has nothing to do. */
const IDLE = 30_000;

/**
 * Checks large bodies in threads of their own: a body of a mebibyte takes 10 to 100 ms, and the thread that answers
 * everybody has other things to do. Organizations take turns. Threads begin with the first large body.
 */
export class LargeBodies {
  readonly #turns: FairSemaphore<string>;
  readonly #log: Logger;
  readonly #idle: number;
  #pool: Promise<Piscina> | null = null;

  /**
   * @param options.idle milliseconds after which a thread that has nothing to do ends.
   * @param options.mostWaiting bodies of an organization.
   */
  constructor(log: Logger, { idle = IDLE, mostWaiting = MOST_WAITING } = {}) {
    this.#log = log;
    this.#idle = idle;
    this.#turns = new FairSemaphore({
      total: THREADS,
      perKey: 1,
      perKeyWithRoom: 1,
      waitingPerKey: mostWaiting,
      patience: PATIENCE,
    });
  }

  /**
   * What the handler gets.
   *
   * @param where the module that has the body for a thread, and its operation there.
   * @throws Problem for what is wrong with the body; `unavailable` if too much is waiting.
   */
  async read<T>(
    body: Body<T>,
    where: Omit<BodyTask, 'bytes'>,
    bytes: Uint8Array<ArrayBuffer>,
    caller: Caller,
  ): Promise<T> {
    const isLarge = bytes.length > LARGE;
    return takeBody(body, isLarge ? await this.check({ ...where, bytes }, caller) : checkBody(body, bytes));
  }

  /** @throws Problem `unavailable` if too much is waiting. */
  check(task: BodyTask, caller: Caller): Promise<CheckedBody> {
    const { length, buffer } = task.bytes;
    // Handed over, unless it is a part of what others use.
    const transferList = length === buffer.byteLength ? [buffer] : [];
    return this.#inTurn(caller, (pool) => pool.run(task, { name: 'check', transferList }));
  }

  /** {@link sameJsonText} */
  async same(a: string, b: string, caller: Caller): Promise<boolean> {
    return a === b || a.length + b.length <= LARGE
      ? sameJsonText(a, b)
      : this.#inTurn(caller, (pool) => pool.run([a, b], { name: 'same' }));
  }

  /** Ends the threads, whatever they do. */
  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
  }

  async #inTurn<Result>(caller: Caller, work: (pool: Piscina) => Promise<Result>): Promise<Result> {
    const who = String(caller['orgId'] ?? JSON.stringify(caller));
    try {
      return await this.#turns.run(who, async () => work(await this.#started()));
    } catch (error) {
      throw error instanceof AppError && error.code === 'timed_out' ? tooMany() : error;
    }
  }

  #started(): Promise<Piscina> {
    this.#pool ??= startThreads(this.#log, this.#idle);
    return this.#pool;
  }
}

async function startThreads(log: Logger, idle: number): Promise<Piscina> {
  const { Piscina: Threads } = await import('piscina');
  const pool = new Threads({
    filename: new URL('body-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: idle,
    // Behind the thread that answers; elsewhere than on Linux that would be behind other processes.
    niceIncrement: process.platform === 'linux' ? 10 : 0,
    // More than any body takes; what goes beyond it ends the thread and not the process.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    recordTiming: false,
  });
  pool.on('error', (err) =>
    log.error({ err }, 'A thread for large bodies ended; another one takes its place'),
  );
  return pool;
}

function tooMany(): Problem {
  return new Problem(
    'unavailable',
    'Too many large bodies of the organization are waiting; try again in a moment',
    {
      headers: { 'Retry-After': '5' },
    },
  );
}
