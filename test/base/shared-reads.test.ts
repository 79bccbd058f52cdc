import { expect } from 'chai';
import { SharedReads } from '../../base/shared-reads.ts';

describe('reads that are shared', () => {
  const reads = new SharedReads();
  /** Reads that end when they are told to, numbered from 1. */
  const controlled = () => {
    const begun: PromiseWithResolvers<number>[] = [];
    const read = () => {
      const next = Promise.withResolvers<number>();
      begun.push(next);
      return next.promise;
    };
    return { begun, read };
  };

  it('are done once for all who ask while another is under way, and begin after that', async () => {
    const { begun, read } = controlled();
    const first = reads.read('a', read);
    const others = Array.from({ length: 1_000 }, () => reads.read('a', read));
    expect(begun).to.have.length(1);
    begun[0]?.resolve(1);
    expect(await first).to.equal(1);
    await new Promise(setImmediate);
    expect(begun).to.have.length(2);
    const late = reads.read('a', read);
    begun[1]?.resolve(2);
    expect(new Set(await Promise.all(others))).to.deep.equal(new Set([2]));
    await new Promise(setImmediate);
    begun[2]?.resolve(3);
    expect(await late).to.equal(3);
    const afterwards = reads.read('a', read);
    begun[3]?.resolve(4);
    expect(await afterwards).to.equal(4);
  });

  it('do not wait for others, and fail each by themselves', async () => {
    const { begun, read } = controlled();
    const [a, b] = [reads.read('a', read), reads.read('b', read)];
    expect(begun).to.have.length(2);
    const after = reads.read('a', read);
    begun[0]?.reject(new Error('lost'));
    begun[1]?.resolve(2);
    expect(await a.catch((error: Error) => error.message)).to.equal('lost');
    expect(await b).to.equal(2);
    await new Promise(setImmediate);
    begun[2]?.resolve(3);
    expect(await after).to.equal(3);
  });
});
