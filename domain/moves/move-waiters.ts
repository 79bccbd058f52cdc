import { setImmediate } from 'node:timers/promises';
import { type Ask, KeysOfReads } from '../../base/shared-reads.ts';
import type { Queue } from './sealing/queues.ts';

type Feed = Queue['name'];

/** One announcement. The requests it wakes share their reads: of a thousand, one reads. */
export class Wake {
  readonly #reads = new Map<string, Promise<unknown>>();
  readonly #keys = new KeysOfReads();

  /** Equal questions share one result. */
  once<Through extends { readonly orgId: number }, Question extends object, Result>(
    ask: Ask<Through, Question, Result>,
    through: Through,
    question: Question,
  ): Promise<Result> {
    const key = this.#keys.of(ask, through, question);
    const begun = (this.#reads.get(key) as Promise<Result> | undefined) ?? ask(through, question);
    this.#reads.set(key, begun);
    return begun;
  }
}

export interface Watch {
  /**
   * Resolves when the feed may have advanced since {@link MoveWaiters.watch}; with null on timeout, eviction or
   * shutdown.
   *
   * @throws the signal's reason.
   */
  next(wait: { milliseconds: number; signal: AbortSignal }): Promise<Wake | null>;
  leave(): void;
}

/**
 * Long-polling requests that wait for a feed to advance. A waiter costs memory only: one database connection listens
 * for all.
 *
 * Bounded. When full, a new request evicts the oldest one of the organization with most, which is answered at once:
 * each organization keeps its share, and a new request is never refused.
 */
export class MoveWaiters {
  readonly #most: number;
  /** By organization, oldest first. */
  readonly #waiting = new Map<number, Set<Waiter>>();
  #size = 0;
  #isEnded = false;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Call before reading, so that nothing sealed in between is missed. */
  watch(orgId: number, after: number, feed: Feed = 'moves'): Watch {
    const waiter = new Waiter(feed, after, () => this.#remove(orgId, waiter));
    if (this.#isEnded) {
      waiter.settle(null);
      return waiter;
    }
    if (this.#size >= this.#most) {
      this.#oldestOfLargest()?.settle(null);
    }
    const ofOrganization = this.#waiting.get(orgId) ?? new Set();
    this.#waiting.set(orgId, ofOrganization.add(waiter));
    this.#size += 1;
    return waiter;
  }

  /** A feed reached this position. */
  sealed(orgId: number, head: number, feed: Feed = 'moves'): void {
    const waiters = [...(this.#waiting.get(orgId) ?? [])];
    this.#wake(waiters.filter((waiter) => waiter.feed === feed && waiter.after < head));
  }

  /** Any feed may have advanced: announcements may have been missed. */
  sealedAny(): void {
    this.#wake([...this.#waiting.values()].flatMap((each) => [...each]));
  }

  /** Answers all waiting requests; from now on none waits. */
  end(): void {
    this.#isEnded = true;
    for (const waiter of [...this.#waiting.values()].flatMap((each) => [...each])) {
      waiter.settle(null);
    }
  }

  /** In batches, so that waking a thousand does not block the event loop. */
  async #wake(waiters: readonly Waiter[]): Promise<void> {
    const wake = new Wake();
    for (let index = 0; index < waiters.length; index++) {
      if (index > 0 && index % AT_ONCE === 0) {
        await setImmediate();
      }
      waiters[index]?.settle(wake);
    }
  }

  #remove(orgId: number, waiter: Waiter): void {
    const ofOrganization = this.#waiting.get(orgId);
    if (ofOrganization?.delete(waiter)) {
      this.#size -= 1;
      if (ofOrganization.size === 0) {
        this.#waiting.delete(orgId);
      }
    }
  }

  #oldestOfLargest(): Waiter | undefined {
    let largest: ReadonlySet<Waiter> = new Set();
    for (const ofOrganization of this.#waiting.values()) {
      if (ofOrganization.size > largest.size) {
        largest = ofOrganization;
      }
    }
    const [oldest] = largest;
    return oldest;
  }
}

const AT_ONCE = 16;

class Waiter implements Watch {
  readonly feed: Feed;
  readonly after: number;
  readonly #remove: () => void;
  #outcome: { wake: Wake | null } | null = null;
  #resolve: ((wake: Wake | null) => void) | null = null;

  constructor(feed: Feed, after: number, remove: () => void) {
    this.feed = feed;
    this.after = after;
    this.#remove = remove;
  }

  next({ milliseconds, signal }: { milliseconds: number; signal: AbortSignal }): Promise<Wake | null> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
        this.leave();
      };
      const abandon = () => {
        end();
        reject(signal.reason);
      };
      const timer = setTimeout(() => this.settle(null), Math.max(0, milliseconds));
      signal.addEventListener('abort', abandon);
      this.#resolve = (wake) => {
        end();
        resolve(wake);
      };
      if (signal.aborted) {
        abandon();
      } else if (this.#outcome !== null) {
        this.#resolve(this.#outcome.wake);
      }
    });
  }

  /** The first outcome counts. */
  settle(wake: Wake | null): void {
    if (this.#outcome === null) {
      this.#outcome = { wake };
      this.leave();
      this.#resolve?.(wake);
    }
  }

  leave(): void {
    this.#remove();
  }
}
