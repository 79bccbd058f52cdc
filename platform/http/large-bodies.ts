import { expensiveTurns } from '../../base/expensive-turns.ts';
import { FairSemaphore, type QueueBounds } from '../../base/fair-semaphore.ts';
import { sameJsonText } from '../../base/json/same-json.ts';
import { THREADS, type ThreadTask, type WorkThreads } from '../runtime/work-threads.ts';
import { type Body, type CheckedBody, checkBody, takeBody } from './body.ts';
import type { BodyTask } from './body-thread.ts';
import { type Caller, Problem } from './problem.ts';

/** Bytes beyond which bodies and texts go to worker threads. Parsing that much takes about a millisecond. */
export const LARGE = 32_768;

/**
 * Commas that make a shorter body large, too: `{},` 10,000 times, 30 kB, took 13 ms to refuse. A usual submission has
 * some 1,200.
 */
const MANY = 2_000;

/**
 * Bodies of one organization, and milliseconds one waits for its turn. There is room for 24 MiB of them
 * (`body-room-bounds.ts`); one of 1 MiB takes some 0.1 s to answer.
 */
const MOST_WAITING = 1_000;
const PATIENCE = 20_000;

const BODY_THREAD = new URL('body-thread.ts', import.meta.url).href;

/**
 * Checks large bodies in worker threads: 1 MiB takes 10 to 100 ms, which would hold up the main thread.
 * Organizations take turns with one thread each at most, so that nobody waits for all of another's bodies.
 * Each runs within its organization's turn ({@link expensiveTurns}).
 */
export class LargeBodies {
  readonly #queue: QueueBounds;
  readonly #turns: FairSemaphore<string>;
  readonly threads: WorkThreads;

  /** @param options.mostWaiting bodies per organization. */
  constructor(threads: WorkThreads, { mostWaiting = MOST_WAITING } = {}) {
    this.threads = threads;
    this.#queue = { waitingPerKey: mostWaiting, patience: PATIENCE, refusal: tooMany };
    this.#turns = new FairSemaphore({ ...this.#queue, total: THREADS, perKey: 1, perKeyWithRoom: 1 });
  }

  /**
   * Checks a body and returns the handler's input. From here on the request holds its organization's turn.
   *
   * @param signal ends the wait.
   * @param where the module and operation that define the body.
   * @throws Problem for an invalid body; `unavailable` if too much is waiting.
   */
  async read<T>(
    body: Body<T>,
    where: Omit<BodyTask, 'bytes'>,
    bytes: Uint8Array<ArrayBuffer>,
    caller: Caller,
    signal: () => AbortSignal,
  ): Promise<T> {
    if (!isLarge(bytes)) {
      return takeBody(body, checkBody(body, bytes));
    }
    await expensiveTurns.hold(keyOf(caller), 'body', this.#queue, signal());
    return takeBody(body, await this.check({ ...where, bytes }, caller));
  }

  /** @throws Problem `unavailable` if too much is waiting. */
  check(task: BodyTask, caller: Caller): Promise<CheckedBody> {
    const { length, buffer } = task.bytes;
    // Transferred, unless the buffer is shared.
    const transferList = length === buffer.byteLength ? [buffer] : [];
    return this.#inTurn(caller, { name: 'check', argument: task, transferList });
  }

  async same(a: string, b: string, caller: Caller): Promise<boolean> {
    return a === b || a.length + b.length <= LARGE
      ? sameJsonText(a, b)
      : this.#inTurn(caller, { name: 'same', argument: [a, b] });
  }

  /** Runs another task in the caller's turn. @throws Problem `unavailable` if too much is waiting. */
  run<Result>(task: ThreadTask, caller: Caller): Promise<Result> {
    return this.#inTurn(caller, task);
  }

  async #inTurn<Result>(
    caller: Caller,
    task: Omit<ThreadTask, 'module'> & { module?: string },
  ): Promise<Result> {
    const who = keyOf(caller);
    const inThread = () =>
      this.#turns.run(who, () => this.threads.run<Result>({ module: BODY_THREAD, ...task }));
    return expensiveTurns.run(who, 'body', inThread, this.#queue);
  }
}

function keyOf(caller: Caller): string {
  return String(caller['orgId'] ?? JSON.stringify(caller));
}

export function isLarge(bytes: Uint8Array): boolean {
  if (bytes.length > LARGE || bytes.length <= MANY) {
    return bytes.length > LARGE;
  }
  let commas = 0;
  for (const byte of bytes) {
    if (byte === COMMA) {
      commas += 1;
    }
  }
  return commas > MANY;
}

const COMMA = 0x2c;

function tooMany(): Problem {
  return new Problem(
    'unavailable',
    'Too many large bodies of the organization are waiting; try again in a moment',
    {
      headers: { 'Retry-After': '5' },
    },
  );
}
