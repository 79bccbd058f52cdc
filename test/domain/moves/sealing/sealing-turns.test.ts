import { expect } from 'chai';
import type { Order } from '../../../../domain/moves/sealing/seal-batch.ts';
import { SealingTurns } from '../../../../domain/moves/sealing/sealing-turns.ts';

const BATCH = 1_000;

describe('turns of organizations to be sealed', () => {
  /** A queue with so many events, of which each batch takes what it may. */
  class Queues {
    readonly #left = new Map<number, number>();
    #lastId = 0;

    write(orgId: number, count: number): void {
      this.#left.set(orgId, (this.#left.get(orgId) ?? 0) + count);
    }

    seal(orders: readonly Order[]) {
      return orders.flatMap(({ orgId, share }) => {
        const rows = Math.min(share, this.#left.get(orgId) ?? 0);
        this.#left.set(orgId, (this.#left.get(orgId) ?? 0) - rows);
        this.#lastId += rows;
        return rows === 0 ? [] : [{ org_id: orgId, rows, last_id: this.#lastId, age: 0 }];
      });
    }
  }

  it('visit one organization with the next batch, however long the backlog of another', () => {
    const [turns, queues] = [new SealingTurns(), new Queues()];
    queues.write(1, 1_000_000);
    turns.visit([1, 2, 3]);
    for (let batch = 0; batch < 20; batch++) {
      queues.write(2, 1);
      turns.call([2]);
      const orders = turns.next(BATCH);
      expect(orders.map(({ orgId }) => orgId)).to.include(2);
      turns.done(orders, queues.seal(orders), 0);
    }
    expect(turns.backlogs().map(({ orgId }) => orgId)).to.deep.equal([1]);
    expect(turns.isDone).to.equal(false);
  });

  it('fill the batch from the backlog, and never overfill it', () => {
    const [turns, queues] = [new SealingTurns(), new Queues()];
    queues.write(1, 1_000_000);
    turns.visit(Array.from({ length: 150 }, (_, index) => index + 1));
    const sums: number[] = [];
    for (let batch = 0; batch < 5; batch++) {
      const orders = turns.next(BATCH);
      sums.push(orders.reduce((sum, { share }) => sum + share, 0));
      turns.done(orders, queues.seal(orders), 0);
      turns.call([2, 3]);
    }
    expect(Math.max(...sums)).to.be.at.most(BATCH);
    expect(sums.slice(1).every((sum) => sum > BATCH * 0.9)).to.equal(true);
  });

  it('come to everybody, and end', () => {
    const [turns, queues] = [new SealingTurns(), new Queues()];
    const seen = new Set<number>();
    turns.visit(Array.from({ length: 1_000 }, (_, index) => index));
    queues.write(0, 5_000);
    while (!turns.isDone) {
      const orders = turns.next(BATCH);
      for (const { orgId } of orders) {
        seen.add(orgId);
      }
      turns.done(orders, queues.seal(orders), 0);
    }
    expect(seen.size).to.equal(1_000);
  });

  it('begin where everything before is sealed and settled', () => {
    const turns = new SealingTurns();
    turns.visit([1]);
    const [order] = turns.next(10) as [Order];
    turns.done([order], [{ org_id: 1, rows: order.share, last_id: 40, age: 0 }], 1_000);
    expect(turns.next(10)[0]?.after).to.equal(40);
    turns.done(turns.next(10), [{ org_id: 1, rows: 1, last_id: 41, age: 0 }], 30);
    turns.visit([1]);
    expect(turns.next(10)[0]?.after).to.equal(40);
    turns.done(turns.next(10), [], 2_000);
    turns.visit([1]);
    expect(turns.next(10)[0]?.after).to.equal(2_000);
  });
});
