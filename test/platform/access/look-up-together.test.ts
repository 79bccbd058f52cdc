import { expect } from 'chai';
import { lookUpTogether } from '../../../platform/access/look-up-together.ts';

/** Somebody who looks up when told to. */
function slowly() {
  const queries: { ids: readonly string[]; answer(found: Record<string, number>): void; fail(): void }[] = [];
  const look = lookUpTogether<number>((ids) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, number>>();
    const answer = (found: Record<string, number>) => resolve(new Map(Object.entries(found)));
    queries.push({ ids, answer, fail: () => reject(new Error('gone')) });
    return promise;
  });
  return { look, queries };
}

describe('look-ups of credentials', () => {
  it('are one query at a time, of whatever was asked for during the one before', async () => {
    const { look, queries } = slowly();
    const first = look('a');
    const others = ['b', 'c', 'b', 'a'].map(look);
    expect(queries.map(({ ids }) => ids)).to.deep.equal([['a']]);
    queries[0]?.answer({ a: 1 });
    expect(await first).to.equal(1);
    expect(queries.map(({ ids }) => ids)).to.deep.equal([['a'], ['b', 'c', 'a']]);
    queries[1]?.answer({ a: 2, c: 3 });
    expect(await Promise.all(others)).to.deep.equal([null, 3, null, 2]);
    const later = look('b');
    queries[2]?.answer({ b: 4 });
    expect(await later).to.equal(4);
  });

  it('are few, however many unknown ids are tried, and all in turn', async () => {
    const { look, queries } = slowly();
    const tried = Array.from({ length: 5_001 }, (_, index) => look(String(index)));
    for (let query = 0; query < 6; query++) {
      queries[query]?.answer({});
      await Promise.all(tried.slice(0, 1 + 1_000 * query));
    }
    expect(queries.map(({ ids }) => ids.length)).to.deep.equal([1, 1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it('fail together with their query, and the next ones do not', async () => {
    const { look, queries } = slowly();
    const first = look('a').catch((error: Error) => error.message);
    queries[0]?.fail();
    expect(await first).to.equal('gone');
    const next = look('a');
    queries[1]?.answer({ a: 1 });
    expect(await next).to.equal(1);
  });
});
