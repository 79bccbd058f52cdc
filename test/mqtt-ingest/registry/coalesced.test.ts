import { expect } from 'chai';
import { coalesced } from '../../../services/mqtt-ingest/registry/freshness.ts';

describe('runs that are coalesced', () => {
  /** Runs that end when told to. */
  function runs() {
    const ends: PromiseWithResolvers<void>[] = [];
    let underWay = 0;
    let most = 0;
    const run = coalesced(async () => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      underWay += 1;
      most = Math.max(most, underWay);
      await end.promise.finally(() => {
        underWay -= 1;
      });
    });
    const begun = async (count: number, isEnough = () => false) => {
      while (ends.length < count && !isEnough()) {
        await new Promise(setImmediate);
      }
    };
    return { run, begun, ends, most: () => most };
  }

  it('are never two at once, also if one is asked for at the moment at which another ends', async () => {
    const { run, begun, ends, most } = runs();
    const first = run();
    await begun(1);
    const second = run();
    let isOver = false;
    const third = first.then(run).then(() => {
      isOver = true;
    });
    ends[0]?.resolve();
    await first;
    for (const count of [2, 3]) {
      await begun(count, () => isOver);
      for (const end of ends) {
        end.resolve();
      }
    }
    await Promise.all([second, third]);
    expect(most()).to.equal(1);
  });

  it('begin after the call, once for all calls that came during the one before, and after one that failed', async () => {
    const { run, begun, ends } = runs();
    const first = run();
    await begun(1);
    const later = [run(), run(), run()];
    ends[0]?.reject(new Error('no database'));
    expect(await first.catch(({ message }: Error) => message)).to.equal('no database');
    await begun(2);
    ends[1]?.resolve();
    await Promise.all(later);
    expect(ends).to.have.length(2);
  });
});
