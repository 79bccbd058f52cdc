import { dearTurns } from '../../base/dear-turns.ts';
import { FairSemaphore, type QueueBounds } from '../../base/fair-semaphore.ts';
import { sameJsonText } from '../../base/json/same-json.ts';
import { THREADS, type ThreadTask, type WorkThreads } from '../runtime/work-threads.ts';
import type { Body } from './body.ts';
import type { BodyTask } from './body-thread.ts';
import { type CheckedBody, checkBody, takeBody } from './checked-body.ts';
import { type Caller, Problem } from './problem.ts';

/** Bodies and texts of more bytes than that are looked at in threads of their own. That many take about a millisecond. */
export const LARGE = 32_768;

/** Commas in a shorter body that is as large: `{},` 10,000 times, 30 kB, took 13 ms to refuse. A usual submission has some 1,200. */
const MANY = 2_000;

/**
 * Bodies of one organization, and milliseconds that one waits for its turn. There is room for 24 MiB of them
 * (`body-bounds.ts`), and of a mebibyte each takes some 0.1 s until it is answered.
 */
const MOST_WAITING = 1_000;
const PATIENCE = 20_000;

const BODY_THREAD = new URL('body-thread.ts', import.meta.url).href;

/**
 * Checks large bodies in threads of their own: a body of a mebibyte takes 10 to 100 ms, and the thread that answers
 * everybody has other things to do. Organizations take turns, and one has one thread at most, so that another one's body
 * does not wait for all of its bodies. Each is done in its organization's turn ({@link dearTurns}).
 */
export class LargeBodies {
  readonly #queue: QueueBounds;
  readonly #turns: FairSemaphore<string>;
  /** Others may have something done in them, too. */
  readonly threads: WorkThreads;

  /** @param options.mostWaiting bodies of an organization. */
  constructor(threads: WorkThreads, { mostWaiting = MOST_WAITING } = {}) {
    this.threads = threads;
    this.#queue = { waitingPerKey: mostWaiting, patience: PATIENCE, refusal: tooMany };
    this.#turns = new FairSemaphore({ ...this.#queue, total: THREADS, perKey: 1, perKeyWithRoom: 1 });
  }

  /**
   * What the handler gets. The request of a large body has its organization's turn from here on.
   *
   * @param signal ends the wait.
   * @param where the module that has the body for a thread, and its operation there.
   * @throws Problem for what is wrong with the body; `unavailable` if too much is waiting.
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
    await dearTurns.hold(keyOf(caller), 'body', this.#queue, signal());
    return takeBody(body, await this.check({ ...where, bytes }, caller));
  }

  /** @throws Problem `unavailable` if too much is waiting. */
  check(task: BodyTask, caller: Caller): Promise<CheckedBody> {
    const { length, buffer } = task.bytes;
    // Handed over, unless it is a part of what others use.
    const transferList = length === buffer.byteLength ? [buffer] : [];
    return this.#inTurn(caller, { name: 'check', argument: task, transferList });
  }

  /** {@link sameJsonText} */
  async same(a: string, b: string, caller: Caller): Promise<boolean> {
    return a === b || a.length + b.length <= LARGE
      ? sameJsonText(a, b)
      : this.#inTurn(caller, { name: 'same', argument: [a, b] });
  }

  /** Has something else done when the caller has a turn. @throws Problem `unavailable` if too much is waiting. */
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
    return dearTurns.run(who, 'body', inThread, this.#queue);
  }
}

function keyOf(caller: Caller): string {
  return String(caller['orgId'] ?? JSON.stringify(caller));
}

/** Whether a body is looked at in a thread. */
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
