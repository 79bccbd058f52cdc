import { expect } from 'chai';
import { PairTally } from '../../../../domain/tracking/location/tally-pairs.ts';

const SECOND = 1_000_000;
const NONE = { kept: 0, redated: 0, removed: 0, added: 0 };

describe('the counts of a trial by pair of locations', () => {
  const moves = (second: number, from = 1, to = 2) => [
    { observedAt: second * SECOND, fromLocationId: from, toLocationId: to },
  ];
  const part = (assetId: number, found: Partial<Record<'kept' | 'disappearing' | 'appearing', object[]>>) =>
    ({ assetId, externalKey: '', kept: [], disappearing: [], appearing: [], ...found }) as Parameters<
      PairTally['add']
    >[0];

  it('know a move that is dated anew also where its new date comes in a later part', () => {
    const tally = new PairTally();
    tally.add(part(1, { disappearing: moves(0) }));
    tally.add(part(1, { appearing: moves(60) }));
    tally.add(part(2, { appearing: moves(700) }));
    tally.add(part(2, { disappearing: moves(701) }));
    expect(tally.pairs()).to.deep.equal([{ fromLocationId: 1, toLocationId: 2, ...NONE, redated: 2 }]);
  });

  it('take no move for another one dated anew: of another asset, other locations, or more than a minute away', () => {
    const tally = new PairTally();
    tally.add(part(1, { disappearing: moves(0) }));
    tally.add(part(1, { appearing: moves(61) }));
    tally.add(part(2, { disappearing: [...moves(0), ...moves(1, 2, 1)] }));
    tally.add(part(3, { appearing: moves(2, 2, 1) }));
    expect(tally.pairs()).to.deep.equal([
      { fromLocationId: 1, toLocationId: 2, ...NONE, removed: 2, added: 1 },
      { fromLocationId: 2, toLocationId: 1, ...NONE, removed: 1, added: 1 },
    ]);
  });

  it('count together what goes beyond the pairs that are kept', () => {
    const tally = new PairTally(1);
    tally.add(part(1, { kept: [...moves(0), ...moves(1, 2, 3), ...moves(2, 3, 4)] }));
    tally.add(part(1, { disappearing: moves(3, 4, 5), appearing: moves(4, 4, 5) }));
    expect(tally.pairs()).to.deep.equal([{ fromLocationId: 1, toLocationId: 2, ...NONE, kept: 1 }]);
    expect(tally.others()).to.deep.equal({ ...NONE, kept: 2, redated: 1 });
  });

  it('put first the pairs that change most', () => {
    const tally = new PairTally();
    tally.add(part(1, { kept: [...moves(0), ...moves(1)], disappearing: moves(2, 2, 1) }));
    expect(tally.pairs().map(({ fromLocationId }) => fromLocationId)).to.deep.equal([2, 1]);
  });
});
