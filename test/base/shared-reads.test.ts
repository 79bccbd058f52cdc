import { expect } from 'chai';
import { SharedReads } from '../../base/shared-reads.ts';

describe('reads that are shared', () => {
  const reads = new SharedReads();
  const OWN = { orgId: 1 };
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
    const first = reads.read(read, OWN, { of: 'a' });
    const others = Array.from({ length: 1_000 }, () => reads.read(read, OWN, { of: 'a' }));
    expect(begun).to.have.length(1);
    begun[0]?.resolve(1);
    expect(await first).to.equal(1);
    await new Promise(setImmediate);
    expect(begun).to.have.length(2);
    const late = reads.read(read, OWN, { of: 'a' });
    begun[1]?.resolve(2);
    expect(new Set(await Promise.all(others))).to.deep.equal(new Set([2]));
    await new Promise(setImmediate);
    begun[2]?.resolve(3);
    expect(await late).to.equal(3);
    const afterwards = reads.read(read, OWN, { of: 'a' });
    begun[3]?.resolve(4);
    expect(await afterwards).to.equal(4);
  });

  it('do not wait for others, and fail each by themselves', async () => {
    const { begun, read } = controlled();
    const [a, b] = [reads.read(read, OWN, { of: 'a' }), reads.read(read, OWN, { of: 'b' })];
    expect(begun).to.have.length(2);
    const after = reads.read(read, OWN, { of: 'a' });
    begun[0]?.reject(new Error('lost'));
    begun[1]?.resolve(2);
    expect(await a.catch((error: Error) => error.message)).to.equal('lost');
    expect(await b).to.equal(2);
    await new Promise(setImmediate);
    begun[2]?.resolve(3);
    expect(await after).to.equal(3);
  });

  it('are never those of another organization, another question or another kind, though nobody says so', async () => {
    const { begun, read } = controlled();
    const asked = [
      reads.read(read, OWN, { after: 1 }),
      reads.read(read, { orgId: 2 }, { after: 1 }),
      reads.read(read, OWN, { after: 1, types: ['moved'] }),
      reads.read(() => read(), OWN, { after: 1 }),
    ];
    begun.forEach(({ resolve }, index) => {
      resolve(index);
    });
    expect(await Promise.all(asked)).to.deep.equal([0, 1, 2, 3]);
  });
});
