import { expect } from 'chai';
import { headsOf } from '../../../domain/moves/sealing/announcements.ts';

describe('the announcement of what was sealed', () => {
  it('tells the head of every feed that went on', () => {
    expect(headsOf('7:1')).to.deep.equal(new Map([[7, 1]]));
    const heads = new Map([
      [1, 48_123],
      [2_147_483_647, Number.MAX_SAFE_INTEGER],
    ]);
    expect(headsOf('1:48123,2147483647:9007199254740991')).to.deep.equal(heads);
  });

  it('tells nothing where it cannot be read', () => {
    for (const payload of ['', 'x', '1', '1:', '1:2,', '1:2;3:4', '-1:2']) {
      expect(headsOf(payload), payload).to.equal(null);
    }
  });
});
