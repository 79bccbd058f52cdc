import { expect } from 'chai';
import { Batch, BatchClosed } from '../../../services/shared/tracking/batch.ts';

class Outage extends Error {}

/** A batch over a flush that the test answers by hand. */
function handled(bounds: { maxBatch?: number; maxHeld?: number } = {}) {
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
      maxBatch: 100,
      maxHeld: 100,
      isOutage: () => false,
    });
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map((item) => batch.submit(item)));
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    ).to.deep.equal([10, 20, 30, 40, 'five', 60, 70, 80]);
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
});
