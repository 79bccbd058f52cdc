import { expect } from 'chai';
import { bucketOf, MemoryStore, MOST_KEYS } from '../../../platform/rate-limit/bucket.ts';

describe('buckets in memory', () => {
  const SECOND = 1_000_000;
  const bucket = bucketOf(60, 120);
  let now: number;
  let store: MemoryStore;
  beforeEach(() => {
    now = 5 * SECOND;
    store = new MemoryStore(bucket, () => now);
  });
  const drain = (key: string) => {
    let taken = 0;
    while (store.take(key, 1).isAllowed) {
      taken += 1;
    }
    return taken;
  };

  it('are one for each key', () => {
    expect([drain('a'), drain('b'), drain('a')]).to.deep.equal([120, 120, 0]);
  });

  it('give several tokens at once, or none of them', () => {
    expect(store.take('a', 100).isAllowed).to.equal(true);
    expect(store.take('a', 21).isAllowed).to.equal(false);
    expect(store.take('a', 20).isAllowed).to.equal(true);
    expect(drain('a')).to.equal(0);
  });

  it('are remembered until they are full, and no longer', () => {
    for (let silence = 1; silence <= 130; silence++) {
      const key = `silent for ${silence} s`;
      expect(drain(key)).to.equal(120);
      for (let second = 0; second < silence; second++) {
        now += SECOND;
        store.take('other', 1);
      }
      expect(drain(key), key).to.equal(Math.min(120, silence));
    }
    for (let second = 0; second < 240; second++) {
      now += SECOND;
      store.take('other', 1);
    }
    // In both generations.
    expect(store.size).to.be.at.most(2);
  });

  it('are as full as the time since their last request lets them be', () => {
    drain('a');
    now += 59 * SECOND;
    expect(drain('a')).to.equal(59);
    now += 1_000_000 * SECOND;
    expect(drain('a')).to.equal(120);
  });

  it('do not grow in number without bound, and forget the oldest first', () => {
    drain('first');
    for (let key = 0; key < 2 * MOST_KEYS; key++) {
      store.take(String(key), 1);
      expect(store.size).to.be.at.most(2 * MOST_KEYS);
    }
    expect(drain(String(2 * MOST_KEYS - 1))).to.equal(119);
    expect(drain('first')).to.equal(120);
  });
});
