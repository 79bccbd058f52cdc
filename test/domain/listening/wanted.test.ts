import { expect } from 'chai';
import { keyOf, listenedFor, readWanted } from '../../../domain/listening/wanted.ts';
import { timeOf } from '../../support/held-loop.ts';

describe('listening for the tags of a thing', () => {
  const tagsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      tag_type: 'rfid' as const,
      value: `3034257BF400B78${String(index).padStart(9, '0')}`,
    }));

  it('names each once, and the first ones of very many, as a notification has room', () => {
    const few = tagsOf(3);
    expect(listenedFor(1, [...few, ...few]).keys).to.have.length(3);
    expect(listenedFor(1, []).keys).to.deep.equal([]);
    const many = listenedFor(1, tagsOf(10_000));
    const all = listenedFor(1, tagsOf(400)).keys ?? [];
    expect(many.keys).to.deep.equal(all);
    const bytes = Buffer.byteLength(JSON.stringify(all));
    expect(bytes).to.be.within(2_000 - JSON.stringify(all[0]).length, 2_000);
    expect(readWanted(keyOf(many))).to.deep.equal(many);
    expect(readWanted('1 0 0 [of another version]')).to.equal(null);
  });

  it('takes no more than writing all tags down a few times, however many and long they are', () => {
    const tags = tagsOf(10_000).map(({ tag_type, value }) => ({ tag_type, value: value.padEnd(255, 'A') }));
    expect(timeOf(() => listenedFor(1, tags))).to.be.at.most(
      timeOf(() => [1, 2, 3, 4, 5].map(() => JSON.stringify(tags))),
    );
  });
});
