import pg from 'pg';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { RowQuery } from '../queries/sql.ts';
import { PATIENCE, WAITING_PER_ORGANIZATION } from './scanning-connections.ts';

/** A write of one item that can be done for many at once, in two statements that take one round trip with their commit. */
export interface GroupedWrite<Item, Row, Outcome> {
  /**
   * What no two items of a group have in common, since what becomes of the second depends on the first. Null for an item
   * so large that others would wait for it.
   */
  namesOf(item: Item): readonly string[] | null;
  /** Has a name and returns no rows; its parameters are texts or binary. */
  first(orgId: number, items: readonly Item[]): RowQuery<never>;
  /** Returns a row for each item, in their order. */
  query(orgId: number, items: readonly Item[]): RowQuery<Row>;
  /** Throws if the item was refused; then the statements have left nothing of it. */
  outcomeOf(row: Row, item: Item): Outcome;
}

type AnyWrite = GroupedWrite<unknown, unknown, unknown>;

/**
 * Sends a group in a transaction, when it is the organization's turn.
 *
 * @param lockTimeout milliseconds that it may wait for each lock of others; 0 for any time.
 */
type Send = (
  orgId: number,
  write: AnyWrite,
  items: readonly unknown[],
  lockTimeout: number,
) => Promise<readonly unknown[]>;

/** Items in a group. Of 10 an asset took 103 us of PostgreSQL's time, of 30 it took 55; alone it takes 460 or more. */
const MOST = 50;

/**
 * Milliseconds that a group waits for others' locks. Creates and attaches hold theirs for a few; an import holds those of
 * its rows for seconds, and one item that waits for it must not hold up the others. Less than what passes before
 * PostgreSQL looks for a deadlock, so that it is the group that gives way.
 */
const LOCK_TIMEOUT = 500;

interface Waiting {
  write: AnyWrite;
  item: unknown;
  names: readonly string[];
  /** Aborted when a group has taken it along. */
  taken: AbortController;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
}

/**
 * Group commit: while a group of an organization's writes is under way, the next ones gather, and then go together. One
 * that finds nothing under way goes at once.
 *
 * What goes wrong with a group is not blamed on all of it: the transaction has left nothing, and each item is done again
 * by itself. While such a one waits for others' locks, so are those that come after.
 */
export class GroupedWrites {
  readonly #send: Send;
  /** One group of an organization at a time. How many organizations' at a time is up to `send`. */
  readonly #slots = new FairSemaphore<number>({
    total: Number.POSITIVE_INFINITY,
    perKey: 1,
    perKeyWithRoom: 1,
    waitingPerKey: WAITING_PER_ORGANIZATION,
    patience: PATIENCE,
  });
  readonly #waiting = new Map<number, Set<Waiting>>();
  /** How many items of an organization are being done again. */
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

  /** Who has its turn, and those that can go with it, in the order in which they came. */
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
      // Whoever has a name in common with one that waits goes after it.
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
      rows = await this.#send(orgId, write, items, LOCK_TIMEOUT);
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
    const [row] = await this.#send(orgId, write, [item], 0);
    return write.outcomeOf(row, item);
  }
}

const TAKEN = new Error('gone with another');

/** `lock_not_available`. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Whether the server has refused the statements and lives on: then it has committed nothing of them. */
function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}
