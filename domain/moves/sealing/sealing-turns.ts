import { ORGANIZATIONS_AT_ONCE, type Order, type Sealed } from './seal-batch.ts';

interface Queue {
  /** Ids up to here were sealed. */
  after: number;
  /** True if it filled its last share. */
  isLong: boolean;
}

/**
 * Shares batches fairly among organizations, so that the backlog of one (a million rows after an upgrade) does not
 * delay the others: half of each batch is for all that it visits, half for those with a backlog.
 *
 * Remembers for each organization the id up to which everything is sealed. While a long transaction (a backup of an
 * hour) keeps dead rows from being vacuumed, a look from the beginning would pass all of them every time.
 */
export class SealingTurns {
  readonly #queues = new Map<number, Queue>();
  /** Organizations to visit, in turn: first those known to have events. */
  readonly #called = new Set<number>();
  readonly #waiting = new Set<number>();
  /** Passed over. */
  readonly #aside = new Set<number>();

  /** Has these visited first. */
  call(orgIds: Iterable<number>): void {
    for (const orgId of orgIds) {
      if (!this.#aside.has(orgId)) {
        this.#called.add(orgId);
      }
    }
  }

  visit(orgIds: Iterable<number>): void {
    for (const orgId of orgIds) {
      if (!this.#aside.has(orgId)) {
        this.#waiting.add(orgId);
      }
    }
  }

  /** Passes over an organization from now on. The beginning of its queue stays. */
  setAside(orgId: number): void {
    this.#aside.add(orgId);
    this.#called.delete(orgId);
    this.#waiting.delete(orgId);
    this.#queue(orgId).isLong = false;
  }

  takeBack(orgId: number): void {
    this.#aside.delete(orgId);
    this.#called.add(orgId);
  }

  /** To seal the oldest event of an organization that is set aside. */
  oldest(orgId: number): Order {
    return { orgId, after: this.#queue(orgId).after, share: 1 };
  }

  get isDone(): boolean {
    return this.#called.size === 0 && this.#waiting.size === 0;
  }

  /** Organizations with more rows than fit into a batch, and where theirs begin. */
  backlogs(): readonly Omit<Order, 'share'>[] {
    return [...this.#queues].flatMap(([orgId, { after, isLong }]) => (isLong ? [{ orgId, after }] : []));
  }

  /** @param rows that the batch may have. */
  next(rows: number): readonly Order[] {
    const orgIds = [...this.#called.union(this.#waiting).keys().take(ORGANIZATIONS_AT_ONCE)];
    const queues = orgIds.map((orgId) => this.#queue(orgId));
    const half = Math.max(1, rows / 2);
    const share = Math.max(1, Math.floor(half / orgIds.length));
    const more = Math.floor(half / queues.filter(({ isLong }) => isLong).length);
    return orgIds.map((orgId, index) => {
      const { after, isLong } = queues[index] as Queue;
      return { orgId, after, share: isLong ? share + more : share };
    });
  }

  /**
   * Records the result of a batch.
   *
   * @param safe the id up to which everything was settled when the batch was sent.
   */
  done(orders: readonly Order[], sealed: readonly Sealed[], safe: number): void {
    const byId = new Map(sealed.map((each) => [each.org_id, each]));
    for (const { orgId, share } of orders) {
      if (this.#aside.has(orgId)) {
        continue;
      }
      const { rows, last_id: lastId } = byId.get(orgId) ?? { rows: 0, last_id: 0 };
      const queue = this.#queue(orgId);
      queue.isLong = rows >= share;
      queue.after = Math.max(queue.after, queue.isLong ? Math.min(lastId, safe) : safe);
      this.#called.delete(orgId);
      this.#waiting.delete(orgId);
      if (queue.isLong) {
        this.#called.add(orgId);
      }
    }
  }

  #queue(orgId: number): Queue {
    const known = this.#queues.get(orgId) ?? { after: 0, isLong: false };
    this.#queues.set(orgId, known);
    return known;
  }
}
