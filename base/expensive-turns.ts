import { AsyncLocalStorage } from 'node:async_hooks';
import { FairSemaphore, type QueueBounds } from './fair-semaphore.ts';

/** Kinds of expensive work take turns among each other, so that many of one kind do not delay the others. */
export type ExpensiveKind = 'list' | 'rows' | 'body' | 'submission' | 'import' | 'export';

/**
 * Queue for an organization's turn at work on large rows: pieces of pages, of which a caller has few at once,
 * and changes. Milliseconds.
 */
export const QUEUE = { waitingPerKey: 100, patience: 45_000 };

const LAPSE = 5_000;

/** Milliseconds after which work that pauses yields to others of its organization. */
const SLICE = 500;

interface Held {
  leave: (() => void) | null;
  since: number;
}

/**
 * Limits each organization to one expensive task at a time in this process: large bodies, large rows, lists that may
 * read much, submissions of many scans, uploads, pieces of imports and exports. Each keeps about one processor busy, here or in the
 * database; two cores running four of them answered other look-ups after 800 ms.
 *
 * A turn lapses: a task that waits for a database lock, or runs for seconds, delays the next no longer than that. So a
 * task that holds a lock and waits for its turn cannot deadlock with one that has its turn and waits for the lock.
 */
export class ExpensiveTurns {
  /** Milliseconds after which a turn lapses; tests shorten it. */
  lapse: number;
  readonly #slice: number;
  readonly #turns = new Map<string, FairSemaphore<ExpensiveKind>>();
  readonly #requests = new AsyncLocalStorage<Held>();

  constructor({ lapse = LAPSE, slice = SLICE } = {}) {
    this.lapse = lapse;
    this.#slice = slice;
  }

  /** Tasks of the organization that wait for their turn. */
  waiting(orgId: number | string): number {
    return this.#turns.get(String(orgId))?.waiting() ?? 0;
  }

  /** {@link hold} inside `work` keeps the turn until `work` ends. */
  async request<Result>(work: () => Promise<Result>): Promise<Result> {
    const held: Held = { leave: null, since: 0 };
    try {
      return await this.#requests.run(held, work);
    } finally {
      held.leave?.();
    }
  }

  /**
   * Takes the turn for the rest of the {@link request}; does nothing if it has it already.
   *
   * @param signal ends the wait.
   * @throws `queue.refusal`, by default AppError `timed_out`; the signal's reason.
   */
  async hold(
    orgId: number | string,
    kind: ExpensiveKind,
    queue: QueueBounds,
    signal?: AbortSignal,
  ): Promise<void> {
    const held = this.#requests.getStore();
    if (held === undefined) {
      throw new Error('only a request can hold a turn');
    }
    if (held.leave === null) {
      held.leave = await this.#enter(String(orgId), kind, queue, signal);
      held.since = performance.now();
    }
  }

  /** Gives the request's turn back, to wait for something else; the next {@link hold} takes it again. */
  leave(): void {
    const held = this.#requests.getStore();
    held?.leave?.();
    if (held !== undefined) {
      held.leave = null;
    }
  }

  /** Like {@link hold}, but yields to waiting tasks if the turn has been held for long. */
  async pause(
    orgId: number | string,
    kind: ExpensiveKind,
    queue: QueueBounds,
    signal?: AbortSignal,
  ): Promise<void> {
    const held = this.#requests.getStore();
    if (held?.leave && performance.now() - held.since > this.#slice) {
      this.leave();
    }
    await this.hold(orgId, kind, queue, signal);
  }

  /**
   * Runs `work` in its own turn, or in that of the surrounding request.
   *
   * @throws as {@link hold} does.
   */
  async run<Result>(
    orgId: number | string,
    kind: ExpensiveKind,
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

  /**
   * Each piece is made in its own turn, and no turn is held while a piece is read.
   *
   * @throws as {@link hold} does.
   */
  async *pieces<Piece>(
    orgId: number | string,
    kind: ExpensiveKind,
    pieces: AsyncIterable<Piece>,
    queue: QueueBounds,
    signal?: AbortSignal,
  ): AsyncGenerator<Piece, void> {
    const iterator = pieces[Symbol.asyncIterator]();
    const next = () =>
      this.request(async () => {
        await this.hold(orgId, kind, queue, signal);
        return iterator.next();
      });
    try {
      for (let piece = await next(); piece.done !== true; piece = await next()) {
        yield piece.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  async #enter(
    key: string,
    kind: ExpensiveKind,
    queue: QueueBounds,
    signal: AbortSignal | undefined,
  ): Promise<() => void> {
    const turns = this.#turns.get(key) ?? new FairSemaphore<ExpensiveKind>(ONE);
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
  // Set per request.
  waitingPerKey: 0,
  patience: 0,
};

export const expensiveTurns = new ExpensiveTurns();
