import pg from 'pg';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { RowQuery } from '../queries/sql.ts';
import { PATIENCE, WAITING_PER_ORGANIZATION } from './scanning-connections.ts';
import { isLockTimeout } from './sql-state.ts';

/** A write that can handle many items at once, in two statements and one round trip including the commit. */
export interface GroupedWrite<Item, Row, Outcome> {
  /**
   * Names that no two items of a group may share, since the second would depend on the first. Null for an
   * item so large that others would wait for it.
   */
  namesOf(item: Item): readonly string[] | null;
  /** Named, returns no rows; its parameters are texts or binary. */
  first(orgId: number, items: readonly Item[]): RowQuery<never>;
  query(orgId: number, items: readonly Item[]): RowQuery<Row>;
  /** Throws if the item was refused; the statements then had no effect for it. */
  outcomeOf(row: Row, item: Item): Outcome;
}

type AnyWrite = GroupedWrite<unknown, unknown, unknown>;

/** Sends a group in a transaction, in the organization's turn; waits briefly for each lock. */
type Send = (orgId: number, write: AnyWrite, items: readonly unknown[]) => Promise<readonly unknown[]>;

/**
 * Items per group. An asset took 103 us of PostgreSQL's time in a group of 10, 55 in one of 30, and 460 or more alone.
 */
const MOST = 50;

interface Waiting {
  write: AnyWrite;
  item: unknown;
  names: readonly string[];
  taken: AbortController;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
}

/**
 * Group commit: writes of an organization that arrive while one is under way are batched and go together next. If none
 * is under way, a write goes at once.
 *
 * A failed group is rolled back, and each of its items is retried alone. While a retried item waits for others' locks,
 * so do those that come after it.
 */
export class GroupedWrites {
  readonly #send: Send;
  /** One group of an organization at a time; `send` bounds them across organizations. */
  readonly #slots = new FairSemaphore<number>({
    total: Number.POSITIVE_INFINITY,
    perKey: 1,
    perKeyWithRoom: 1,
    waitingPerKey: WAITING_PER_ORGANIZATION,
    patience: PATIENCE,
  });
  readonly #waiting = new Map<number, Set<Waiting>>();
  readonly #again = new Map<number, number>();

  constructor(send: Send) {
    this.#send = send;
  }

  run<Item, Row, Outcome>(
    orgId: number,
    write: GroupedWrite<Item, Row, Outcome>,
    item: Item,
  ): Promise<Outcome> {
    const names = write.namesOf(item);
    if (names === null || this.#again.has(orgId)) {
      return this.#alone(orgId, write as AnyWrite, item) as Promise<Outcome>;
    }
    return new Promise((resolve, reject) => {
      const taken = new AbortController();
      const waiting = { write: write as AnyWrite, item, names, taken, resolve, reject } as Waiting;
      this.#wait(orgId, waiting);
    });
  }

  #wait(orgId: number, waiting: Waiting): void {
    const all = this.#waiting.get(orgId) ?? new Set();
    this.#waiting.set(orgId, all.add(waiting));
    this.#slots
      .run(orgId, () => this.#sendGroup(orgId, this.#take(orgId, waiting)), waiting.taken.signal)
      .catch((error) => {
        if (!waiting.taken.signal.aborted) {
          this.#forget(orgId, waiting);
          waiting.reject(error);
        }
      });
  }

  #take(orgId: number, first: Waiting): Waiting[] {
    this.#forget(orgId, first);
    const group = [first];
    const names = new Set(first.names);
    for (const each of this.#waiting.get(orgId) ?? []) {
      if (group.length === MOST) {
        break;
      }
      if (each.write === first.write && !each.names.some((name) => names.has(name))) {
        group.push(each);
        this.#forget(orgId, each);
        each.taken.abort(TAKEN);
      }
      // An item that shares a name with a waiting one must follow it.
      for (const name of each.names) {
        names.add(name);
      }
    }
    return group;
  }

  #forget(orgId: number, waiting: Waiting): void {
    const all = this.#waiting.get(orgId);
    all?.delete(waiting);
    if (all?.size === 0) {
      this.#waiting.delete(orgId);
    }
  }

  async #sendGroup(orgId: number, group: readonly Waiting[]): Promise<void> {
    const [{ write }] = group as [Waiting];
    const items = group.map(({ item }) => item);
    if (this.#again.has(orgId)) {
      this.#doAgain(orgId, group);
      return;
    }
    let rows: readonly unknown[];
    try {
      rows = await this.#send(orgId, write, items);
    } catch (error) {
      if (isLockTimeout(error) || (group.length > 1 && isUndone(error))) {
        this.#doAgain(orgId, group);
      } else {
        for (const { reject } of group) {
          reject(error);
        }
      }
      return;
    }
    for (const [index, { item, resolve, reject }] of group.entries()) {
      try {
        resolve(write.outcomeOf(rows[index], item));
      } catch (error) {
        reject(error);
      }
    }
  }

  #doAgain(orgId: number, group: readonly Waiting[]): void {
    this.#count(orgId, group.length);
    for (const { write, item, resolve, reject } of group) {
      this.#alone(orgId, write, item)
        .then(resolve, reject)
        .finally(() => this.#count(orgId, -1));
    }
  }

  #count(orgId: number, change: number): void {
    const count = (this.#again.get(orgId) ?? 0) + change;
    if (count === 0) {
      this.#again.delete(orgId);
    } else {
      this.#again.set(orgId, count);
    }
  }

  async #alone(orgId: number, write: AnyWrite, item: unknown): Promise<unknown> {
    const [row] = await retryWhileLocked(() => this.#send(orgId, write, [item]));
    return write.outcomeOf(row, item);
  }
}

const TAKEN = new Error('gone with another');

/** True if the server refused the statements and is still running: then none was committed. */
function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}

/**
 * Retries a change that gave up waiting for a lock, each time in a new turn.
 *
 * @throws the last error after {@link PATIENCE}.
 */
export async function retryWhileLocked<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > until) {
        throw error;
      }
    }
  }
}

/**
 * Milliseconds a change waits for each lock. Creates and attaches hold locks for a few milliseconds, an import for
 * seconds. Less than `deadlock_timeout`, so that the waiting change gives way.
 */
export const LOCK_TIMEOUT = 500;
