import { AsyncLocalStorage } from 'node:async_hooks';
import { FairSemaphore, type QueueBounds } from './fair-semaphore.ts';

/** What takes an organization's turn. Kinds take turns among each other, so that many of one keep no other waiting. */
export type DearKind = 'list' | 'rows' | 'body' | 'submission' | 'import';

const LAPSE = 5_000;

/** Milliseconds after which work that pauses in between lets others of its organization go on. */
const SLICE = 500;

/** What a request holds of its organization's turn. */
interface Held {
  leave: (() => void) | null;
  since: number;
}

/**
 * One dear thing of an organization at a time in this process: large bodies, large rows, lists that may read much,
 * submissions of many scans, pieces of imports. Each keeps about one processor busy, here or in the
 * database; two cores that do four of them at once answered look-ups of others after 800 ms (test/bench/README.md).
 *
 * A turn lapses: whatever waits for a lock of the database, or takes seconds, keeps the next from beginning no longer
 * than that. So nothing that holds a lock and waits for its turn can stop what has its turn and waits for the lock.
 */
export class DearTurns {
  /** Milliseconds after which a turn has lapsed; tests own it. */
  lapse: number;
  readonly #slice: number;
  readonly #turns = new Map<string, FairSemaphore<DearKind>>();
  readonly #requests = new AsyncLocalStorage<Held>();

  constructor({ lapse = LAPSE, slice = SLICE } = {}) {
    this.lapse = lapse;
    this.#slice = slice;
  }

  /** Within `work`, {@link hold} keeps the turn until its end. */
  async request<Result>(work: () => Promise<Result>): Promise<Result> {
    const held: Held = { leave: null, since: 0 };
    try {
      return await this.#requests.run(held, work);
    } finally {
      held.leave?.();
    }
  }

  /**
   * Takes the turn for what is left of the {@link request}; nothing if it has it.
   *
   * @param signal ends the wait.
   * @throws what `queue` has, AppError `timed_out` unless told; the signal's reason.
   */
  async hold(
    orgId: number | string,
    kind: DearKind,
    queue: QueueBounds,
    signal?: AbortSignal,
  ): Promise<void> {
    const held = this.#requests.getStore();
    if (held === undefined) {
      throw new Error('a turn can be held by a request only');
    }
    if (held.leave === null) {
      held.leave = await this.#enter(String(orgId), kind, queue, signal);
      held.since = performance.now();
    }
  }

  /** As {@link hold}; what has held the turn for long goes behind the others that wait for it. */
  async pause(
    orgId: number | string,
    kind: DearKind,
    queue: QueueBounds,
    signal?: AbortSignal,
  ): Promise<void> {
    const held = this.#requests.getStore();
    if (held?.leave && performance.now() - held.since > this.#slice) {
      held.leave();
      held.leave = null;
    }
    await this.hold(orgId, kind, queue, signal);
  }

  /** Does `work` in its turn; in that of its request, if this has it. @throws as {@link hold} does. */
  async run<Result>(
    orgId: number | string,
    kind: DearKind,
    work: () => Promise<Result>,
    queue: QueueBounds,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#requests.getStore()?.leave) {
      return work();
    }
    const leave = await this.#enter(String(orgId), kind, queue, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #enter(
    key: string,
    kind: DearKind,
    queue: QueueBounds,
    signal: AbortSignal | undefined,
  ): Promise<() => void> {
    const turns = this.#turns.get(key) ?? new FairSemaphore<DearKind>(ONE);
    this.#turns.set(key, turns);
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const { promise: entered, resolve: enter, reject } = Promise.withResolvers<void>();
    const hold = () => {
      enter();
      const timer = setTimeout(leave, this.lapse);
      return left.finally(() => clearTimeout(timer));
    };
    turns
      .run(kind, hold, signal, queue)
      .catch(reject)
      .finally(() => {
        if (turns.running() + turns.waiting() === 0 && this.#turns.get(key) === turns) {
          this.#turns.delete(key);
        }
      });
    await entered;
    return leave;
  }
}

const ONE = {
  total: 1,
  perKey: 1,
  perKeyWithRoom: 1,
  // Each brings its own.
  waitingPerKey: 0,
  patience: 0,
};

/** Those of this process, which has the processors in common whatever asks. */
export const dearTurns = new DearTurns();
