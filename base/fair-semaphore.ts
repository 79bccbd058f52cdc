import { AppError } from './errors.ts';

export interface QueueBounds {
  waitingPerKey: number;
  /** Milliseconds. */
  patience: number;
  refusal?: () => Error;
}

export interface SemaphoreBounds extends QueueBounds {
  total: number;
  /** Concurrent tasks of one key, guaranteed. */
  perKey: number;
  /** Concurrent tasks of one key while one slot beside them is left for other keys. */
  perKeyWithRoom: number;
}

const TOO_MANY = 'Too many requests of the organization are waiting; send fewer at once, or try again later';
const TOO_LATE =
  'Earlier requests of the organization took too long for this one to have its turn; narrow those with filters, or try again later';

interface Waiting {
  enter(): void;
}

/**
 * Fair semaphore per key. The key with the fewest running tasks goes first; among equals, the one that has
 * waited longest since its last turn. A key at its limit is skipped, so whoever sends most waits longest.
 * Queues of libraries (p-queue 10, async-sema 3) know no keys, and limiters by key (Bottleneck 2) no turns
 * between them.
 */
export class FairSemaphore<Key> {
  readonly #bounds: SemaphoreBounds;
  readonly #running = new Map<Key, number>();
  /** Waiting tasks by key, first come first served; keys in order of their turns. */
  readonly #waiting = new Map<Key, Set<Waiting>>();
  #runningOfAll = 0;
  #waitingOfAll = 0;

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds;
  }

  running(key?: Key): number {
    return key === undefined ? this.#runningOfAll : (this.#running.get(key) ?? 0);
  }

  waiting(key?: Key): number {
    return key === undefined ? this.#waitingOfAll : (this.#waiting.get(key)?.size ?? 0);
  }

  /**
   * @param signal ends the wait, not the work.
   * @param queue defaults to the semaphore's own bounds.
   * @throws the refusal, by default AppError `timed_out`, if too many wait or the turn does not come in time; the
   * signal's reason.
   */
  async run<Result>(
    key: Key,
    work: () => Promise<Result>,
    signal?: AbortSignal,
    queue: QueueBounds = this.#bounds,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#hasRoomFor(key)) {
      this.#enter(key);
    } else {
      await this.#turnOf(key, signal, queue);
    }
    try {
      return await work();
    } finally {
      this.#leave(key);
    }
  }

  #turnOf(
    key: Key,
    signal: AbortSignal | undefined,
    { waitingPerKey, patience, refusal }: QueueBounds,
  ): Promise<void> {
    if (this.waiting(key) >= waitingPerKey) {
      return Promise.reject(refusal?.() ?? new AppError('timed_out', TOO_MANY));
    }
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abandon);
        this.#unqueue(key, waiting);
        done();
      };
      const abandon = () => settle(() => reject(signal?.reason));
      const expire = () => settle(() => reject(refusal?.() ?? new AppError('timed_out', TOO_LATE)));
      const timer = setTimeout(expire, patience);
      const waiting = { enter: () => settle(resolve) };
      signal?.addEventListener('abort', abandon);
      this.#queue(key, waiting);
    });
  }

  #queue(key: Key, waiting: Waiting): void {
    const ofKey = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, ofKey.add(waiting));
    this.#waitingOfAll += 1;
  }

  #unqueue(key: Key, waiting: Waiting): void {
    const ofKey = this.#waiting.get(key);
    ofKey?.delete(waiting);
    if (ofKey?.size === 0) {
      this.#waiting.delete(key);
    }
    this.#waitingOfAll -= 1;
  }

  #hasRoomFor(key: Key): boolean {
    const { total, perKey, perKeyWithRoom } = this.#bounds;
    const running = this.running(key);
    return running < perKey
      ? this.#runningOfAll < total
      : running < perKeyWithRoom && this.#runningOfAll < total - 1;
  }

  /** Stops at the first idle key, so it visits no more keys than tasks can run. */
  #next(): Key | undefined {
    let next: Key | undefined;
    for (const key of this.#waiting.keys()) {
      const isBefore = next === undefined || this.running(key) < this.running(next);
      if (isBefore && this.#hasRoomFor(key)) {
        next = key;
        if (this.running(key) === 0) {
          break;
        }
      }
    }
    return next;
  }

  #enter(key: Key): void {
    this.#runningOfAll += 1;
    this.#running.set(key, this.running(key) + 1);
  }

  #leave(key: Key): void {
    this.#runningOfAll -= 1;
    const left = this.running(key) - 1;
    if (left === 0) {
      this.#running.delete(key);
    } else {
      this.#running.set(key, left);
    }
    this.#letNextIn();
  }

  #letNextIn(): void {
    const key = this.#next();
    const ofKey = key === undefined ? undefined : this.#waiting.get(key);
    const [first] = ofKey ?? [];
    if (key === undefined || ofKey === undefined || first === undefined) {
      return;
    }
    this.#enter(key);
    first.enter();
    if (ofKey.size > 0) {
      this.#waiting.delete(key);
      this.#waiting.set(key, ofKey);
    }
  }
}
