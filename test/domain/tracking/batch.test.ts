import { expect } from 'chai';
import { Batch, BatchClosed } from '../../../domain/tracking/batch.ts';

class Outage extends Error {}

/** A batch over a flush that the test answers by hand. Items go by their last digit where there are several lanes. */
function handled(bounds: { maxBatch?: number; maxHeld?: number; lanes?: number } = {}) {
  const flushes: { items: readonly number[]; answer(results: string[] | Error): void }[] = [];
  let wake: (() => void) | undefined;
  const batch = new Batch<number, string>({
    flush: (items) =>
      new Promise((resolve, reject) => {
        flushes.push({
          items,
          answer: (results) => (results instanceof Error ? reject(results) : resolve(results)),
        });
        wake?.();
      }),
    weigh: (item) => item,
    lanes: bounds.lanes ?? 1,
    laneKey: (item) => item % 10,
    maxBatch: bounds.maxBatch ?? 100,
    maxHeld: bounds.maxHeld ?? 1_000,
    isOutage: (error) => error instanceof Outage,
  });
  const flushed = async () => {
    while (flushes.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return flushes.shift() as (typeof flushes)[number];
  };
  const answer = async () => {
    const { items, answer } = await flushed();
    answer(items.map((item) => `done ${item}`));
    return items;
  };
  return { batch, flushed, answer };
}

describe('a batch', () => {
  it('gives every submitter its own result', async () => {
    const { batch, answer } = handled();
    const first = batch.submit(1);
    const others = Promise.all([batch.submit(2), batch.submit(3)]);
    expect(await answer()).to.deep.equal([1]);
    expect(await first).to.equal('done 1');
    expect(await answer()).to.deep.equal([2, 3]);
    expect(await others).to.deep.equal(['done 2', 'done 3']);
  });

  it('takes no more at once than its bound, and what is heavier by itself', async () => {
    const { batch, answer } = handled({ maxBatch: 10 });
    const all = Promise.all([
      batch.submit(1),
      batch.submit(6),
      batch.submit(4),
      batch.submit(1),
      batch.submit(50),
    ]);
    const batches = [await answer(), await answer(), await answer(), await answer()];
    expect(batches).to.deep.equal([[1], [6, 4], [1], [50]]);
    expect(await all).to.have.lengthOf(5);
  });

  it('lets submitters wait while it holds all it may', async () => {
    const { batch, answer } = handled({ maxHeld: 10 });
    const first = batch.submit(8);
    const second = batch.submit(8);
    expect(batch.held).to.equal(8);
    await answer();
    await first;
    expect(await answer()).to.deep.equal([8]);
    await second;
    expect(batch.held).to.equal(0);
  });

  it('takes items of no more tenants at once than its bound', async () => {
    const flushed: (readonly number[])[] = [];
    const batch = new Batch<number, number>({
      flush: async (items) => {
        flushed.push(items);
        return items;
      },
      weigh: () => 1,
      lanes: 1,
      laneKey: () => 0,
      tenant: (item) => item % 10,
      maxBatch: 100,
      maxTenants: 2,
      maxHeld: 100,
      isOutage: () => false,
    });
    await Promise.all([1, 2, 12, 3, 13, 4, 14, 24].map((item) => batch.submit(item)));
    expect(flushed).to.deep.equal([[1], [2, 12, 3, 13], [4, 14, 24]]);
  });

  it('takes what waits for room in the order of its submission', async () => {
    const { batch, answer } = handled({ maxHeld: 10 });
    const all = Promise.all([batch.submit(8), batch.submit(9), batch.submit(1)]);
    expect([await answer(), await answer()]).to.deep.equal([[8], [9, 1]]);
    expect(await all).to.deep.equal(['done 8', 'done 9', 'done 1']);
  });

  it('waits an outage out and then gives the results', async () => {
    const { batch, flushed, answer } = handled();
    const submitted = batch.submit(7);
    for (let attempt = 0; attempt < 3; attempt++) {
      (await flushed()).answer(new Outage('gone'));
    }
    expect(await answer()).to.deep.equal([7]);
    expect(await submitted).to.equal('done 7');
  });

  it('finds the one item that is at fault, and works the others off', async () => {
    const flushed: number[][] = [];
    const batch = new Batch<number, number>({
      flush: async (items) => {
        flushed.push([...items]);
        if (items.includes(5)) {
          throw new TypeError('five');
        }
        return items.map((item) => item * 10);
      },
      weigh: () => 1,
      lanes: 1,
      laneKey: () => 0,
      maxBatch: 100,
      maxHeld: 100,
      isOutage: () => false,
    });
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map((item) => batch.submit(item)));
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    ).to.deep.equal([10, 20, 30, 40, 'five', 60, 70, 80]);
  });

  it('looks for no items at fault that the error names, however many they are among the others', async () => {
    const flushed: number[][] = [];
    const batch = new Batch<number, number>({
      flush: async (items) => {
        flushed.push([...items]);
        if (items.some((item) => item % 2 === 1)) {
          throw new RangeError('odd');
        }
        return items.map((item) => item * 10);
      },
      weigh: () => 1,
      lanes: 1,
      laneKey: () => 0,
      maxBatch: 100,
      maxHeld: 100,
      isOutage: () => false,
      isNamed: (error, item) => error instanceof RangeError && item % 2 === 1,
    });
    const results = await Promise.allSettled([2, 1, 2, 3, 4, 5, 6, 7, 8].map((item) => batch.submit(item)));
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    ).to.deep.equal([20, 'odd', 20, 'odd', 40, 'odd', 60, 'odd', 80]);
    expect(flushed).to.deep.equal([[2], [1, 2, 3, 4, 5, 6, 7, 8], [2, 4, 6, 8]]);
    expect((await Promise.allSettled([batch.submit(9)]))[0]).to.have.property('status', 'rejected');
    expect(batch.held).to.equal(0);
  });

  it('sets aside what is blocked, refuses what has no room there, and gives up the rest when it has to stop', async () => {
    class Blocked extends Error {}
    const blocked: (readonly number[])[] = [];
    const batch = new Batch<number, number>({
      flush: async (items) => {
        if (items.some((item) => item % 10 === 3)) {
          throw new Blocked('locked');
        }
        return items;
      },
      weigh: () => 1,
      lanes: 1,
      laneKey: (item) => item % 10,
      tenant: (item) => item % 10,
      maxBatch: 100,
      // A sixteenth of it may wait aside.
      maxHeld: 32,
      isOutage: () => true,
      isBlocked: (error) => error instanceof Blocked,
      onBlocked: (_error, items) => blocked.push(items),
    });
    const held = [batch.submit(3), batch.submit(13)].map((each) =>
      each.catch((error: Error) => error.message),
    );
    const others = [batch.submit(1), batch.submit(2), batch.submit(11)];
    expect(await Promise.all(others)).to.deep.equal([1, 2, 11]);
    expect(await batch.submit(23).catch((error) => error)).to.be.instanceOf(Blocked);
    expect(await batch.submit(21)).to.equal(21);
    expect(blocked).to.deep.equal([[3]]);
    await batch.drain(0);
    expect(await Promise.all(held)).to.deep.equal(['locked', 'locked']);
  });

  it('refuses the items of a tenant that are too slow, after one attempt of their own, and flushes those of others', async () => {
    class TooSlow extends Error {}
    const flushed: (readonly number[])[] = [];
    const batch = new Batch<number, number>({
      flush: async (items) => {
        flushed.push([...items]);
        if (items.includes(13)) {
          throw new TooSlow('out of time');
        }
        return items;
      },
      weigh: () => 1,
      lanes: 1,
      laneKey: () => 0,
      tenant: (item) => item % 10,
      maxBatch: 100,
      maxHeld: 100,
      isOutage: () => false,
      isTooSlow: (error) => error instanceof TooSlow,
    });
    const results = await Promise.all(
      [1, 3, 11, 13, 23, 2].map((item) => batch.submit(item).catch((error: Error) => error.message)),
    );
    expect(results).to.deep.equal([1, 'out of time', 11, 'out of time', 'out of time', 2]);
    expect(flushed).to.deep.equal([[1], [3, 11, 13, 23, 2], [3, 13, 23], [11], [2]]);
    await batch.drain(10_000);
    expect(batch.held).to.equal(0);
  });

  it('works off what it took before it stops, and takes nothing more', async () => {
    const { batch, answer } = handled();
    const submitted = batch.submit(1);
    const drained = batch.drain(10_000);
    const refused = await batch.submit(2).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(BatchClosed);
    await answer();
    await drained;
    expect(await submitted).to.equal('done 1');
  });

  it('gives up what an outage holds when its time to stop has run out', async () => {
    const { batch, flushed } = handled();
    const submitted = batch.submit(1).catch((error: unknown) => error);
    (await flushed()).answer(new Outage('gone'));
    const drained = batch.drain(0);
    (await flushed()).answer(new Outage('still gone'));
    await drained;
    expect(await submitted).to.be.instanceOf(Outage);
  });

  describe('with several lanes', () => {
    it('has a batch of each under way at once, and one only', async () => {
      const { batch, flushed } = handled({ lanes: 2 });
      const all = Promise.all([10, 20, 30, 11, 21].map((item) => batch.submit(item)));
      const [even, odd] = [await flushed(), await flushed()];
      expect([even.items, odd.items]).to.deep.equal([[10], [11]]);
      odd.answer(['done 11']);
      const next = await flushed();
      expect(next.items).to.deep.equal([21]);
      next.answer(['done 21']);
      even.answer(['done 10']);
      const last = await flushed();
      expect(last.items).to.deep.equal([20, 30]);
      last.answer(['done 20', 'done 30']);
      expect(await all).to.deep.equal(['done 10', 'done 20', 'done 30', 'done 11', 'done 21']);
    });

    it('works the items of one key off in the order they were handed in, a lane not waiting for another', async () => {
      const seen = new Map<number, number[]>();
      const batch = new Batch<number, number>({
        flush: async (items) => {
          await new Promise((resolve) => setImmediate(resolve));
          for (const item of items) {
            const key = item % 10;
            seen.set(key, [...(seen.get(key) ?? []), item]);
          }
          return items;
        },
        weigh: () => 1,
        lanes: 3,
        laneKey: (item) => item % 10,
        maxBatch: 7,
        maxHeld: 20,
        isOutage: () => false,
      });
      const items = Array.from({ length: 1_000 }, (_, index) => index);
      expect(await Promise.all(items.map((item) => batch.submit(item)))).to.deep.equal(items);
      for (const [key, inOrder] of seen) {
        expect(inOrder).to.deep.equal(items.filter((item) => item % 10 === key));
      }
      expect(batch.held).to.equal(0);
    });

    it('holds in all of them no more than it may', async () => {
      const { batch, flushed } = handled({ lanes: 2, maxHeld: 40 });
      const submitted = Promise.all([batch.submit(20), batch.submit(11), batch.submit(21)]);
      expect(batch.held).to.equal(31);
      const first = await flushed();
      first.answer(['done 20']);
      const second = await flushed();
      expect(second.items).to.deep.equal([11]);
      second.answer(['done 11']);
      const third = await flushed();
      third.answer(['done 21']);
      expect(await submitted).to.deep.equal(['done 20', 'done 11', 'done 21']);
      expect(batch.held).to.equal(0);
    });

    it('waits an outage out in each, and finds a fault in one without touching the other', async () => {
      const { batch, flushed } = handled({ lanes: 2 });
      const healthy = batch.submit(10);
      const first = batch.submit(11);
      const faulty = batch.submit(13).catch((error: unknown) => error);
      const sound = batch.submit(15);
      const even = await flushed();
      even.answer(new Outage('gone'));
      (await flushed()).answer(['done 11']);
      const workedOff = new Set<number>();
      while (![10, 13, 15].every((item) => workedOff.has(item))) {
        const { items, answer } = await flushed();
        const isFaulty = items.includes(13);
        answer(isFaulty ? new TypeError('thirteen') : items.map((item) => `done ${item}`));
        for (const item of isFaulty && items.length > 1 ? [] : items) {
          workedOff.add(item);
        }
      }
      expect(await healthy).to.equal('done 10');
      expect(await first).to.equal('done 11');
      expect(await faulty).to.be.instanceOf(TypeError);
      expect(await sound).to.equal('done 15');
    });

    it('works all of them off before it stops, and gives all up that an outage holds', async () => {
      const { batch, flushed } = handled({ lanes: 2 });
      const [even, odd] = [batch.submit(10), batch.submit(11).catch((error: unknown) => error)];
      const [first, second] = [await flushed(), await flushed()];
      let isDrained = false;
      const drained = batch.drain(0).then(() => {
        isDrained = true;
      });
      first.answer(['done 10']);
      expect(await even).to.equal('done 10');
      expect(isDrained).to.equal(false);
      second.answer(new Outage('gone'));
      (await Promise.race([flushed(), drained]))?.answer(new Outage('still gone'));
      await drained;
      expect(await odd).to.be.instanceOf(Outage);
    });
  });
});
