import { AppError } from '../../services/shared/errors.ts';

/** How much a semaphore lets through, and how long whoever comes too early may wait. */
export interface SemaphoreBounds {
  /** Tasks of everybody that run at the same time. */
  total: number;
  /** Tasks of one key that run at the same time, in any case. */
  perKey: number;
  /** As many run while there is room for one more beside them, which is then left to other keys. */
  perKeyWithRoom: number;
  /** Tasks of one key that may wait; one more is refused. */
  waitingPerKey: number;
  /** Milliseconds that a task waits at most. */
  patience: number;
  /** What is thrown where a task gets no turn, if not the usual. */
  refusal?: () => Error;
}

const TOO_MANY = 'Too many requests of the organization are waiting; send fewer at once, or try again later';
const TOO_LATE =
  'Earlier requests of the organization took too long for this one to have its turn; narrow those with filters, or try again later';

interface Waiting<Key> {
  key: Key;
  enter(): void;
}

/**
 * Fair semaphore per key: the key that has fewest running comes first, and then who came first. A task whose key has as
 * many running as it may is passed over, so that whoever asks for much waits behind itself and not in front of others.
 */
export class FairSemaphore<Key> {
  readonly #bounds: SemaphoreBounds;
  readonly #running = new Map<Key, number>();
  readonly #waiting = new Set<Waiting<Key>>();
  #total = 0;

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds;
  }

  /**
   * @param signal ends the wait, not the work.
   * @throws the refusal, AppError `timed_out` unless told, if too many wait already, or the turn does not come in time; the
   * signal's reason.
   */
  async run<Result>(key: Key, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#hasRoomFor(key)) {
      this.#enter(key);
    } else {
      await this.#turnOf(key, signal);
    }
    try {
      return await work();
    } finally {
      this.#leave(key);
    }
  }

  #turnOf(key: Key, signal: AbortSignal | undefined): Promise<void> {
    const { waitingPerKey, patience } = this.#bounds;
    const before = [...this.#waiting].filter((each) => each.key === key).length;
    if (before >= waitingPerKey) {
      return Promise.reject(this.#refusal(TOO_MANY));
    }
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abandon);
        this.#waiting.delete(waiting);
        done();
      };
      const abandon = () => settle(() => reject(signal?.reason));
      const expire = () => settle(() => reject(this.#refusal(TOO_LATE)));
      const timer = setTimeout(expire, patience);
      const waiting = { key, enter: () => settle(resolve) };
      signal?.addEventListener('abort', abandon);
      this.#waiting.add(waiting);
    });
  }

  #refusal(detail: string): Error {
    return this.#bounds.refusal?.() ?? new AppError('timed_out', detail);
  }

  #hasRoomFor(key: Key): boolean {
    const { total, perKey, perKeyWithRoom } = this.#bounds;
    const running = this.#runningOf(key);
    return running < perKey ? this.#total < total : running < perKeyWithRoom && this.#total < total - 1;
  }

  #runningOf(key: Key): number {
    return this.#running.get(key) ?? 0;
  }

  #next(): Waiting<Key> | undefined {
    let next: Waiting<Key> | undefined;
    for (const each of this.#waiting) {
      const isBefore = next === undefined || this.#runningOf(each.key) < this.#runningOf(next.key);
      if (isBefore && this.#hasRoomFor(each.key)) {
        next = each;
      }
    }
    return next;
  }

  #enter(key: Key): void {
    this.#total += 1;
    this.#running.set(key, this.#runningOf(key) + 1);
  }

  #leave(key: Key): void {
    this.#total -= 1;
    const left = this.#runningOf(key) - 1;
    if (left === 0) {
      this.#running.delete(key);
    } else {
      this.#running.set(key, left);
    }
    const next = this.#next();
    if (next !== undefined) {
      this.#enter(next.key);
      next.enter();
    }
  }
}
