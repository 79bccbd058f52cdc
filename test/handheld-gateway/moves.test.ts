import { expect } from 'chai';
import {
  followMoves,
  type RecordedScan,
  type Whereabouts,
} from '../../services/handheld-gateway/submissions/moves.ts';

describe('which scans move an asset', () => {
  const [A, B, C] = [1, 2, 3];
  const scan = (locationId: number, observedAt: number, rssi: number | null = null): RecordedScan => ({
    assetId: 7,
    locationId,
    observedAt,
    rssi,
  });
  const known = (locationId: number | null, seenAt: number | null): ReadonlyMap<number, Whereabouts> =>
    new Map([[7, { locationId, seenAt, rssi: undefined }]]);
  const nowhere = new Map();

  it('the first ever, from nowhere', () => {
    expect(followMoves([scan(A, 1)], known(null, null), nowhere)).to.deep.equal([{ from: null }]);
    expect(followMoves([scan(A, 1)], new Map(), nowhere)).to.deep.equal([{ from: null }]);
  });

  it('one elsewhere, from where the scan before it left it', () => {
    const scans = [scan(B, 11), scan(B, 12), scan(C, 13), scan(A, 14)];
    expect(followMoves(scans, known(A, 10), nowhere)).to.deep.equal([
      { from: A },
      null,
      { from: B },
      { from: C },
    ]);
  });

  it('none that is older than what is known', () => {
    expect(followMoves([scan(B, 9), scan(B, 12), scan(C, 11)], known(A, 10), nowhere)).to.deep.equal([
      null,
      { from: A },
      null,
    ]);
  });

  it('of one instant the stronger, then the one at the smaller location', () => {
    expect(followMoves([scan(A, 11, -50), scan(B, 11, -40)], known(A, 10), nowhere)).to.deep.equal([
      null,
      { from: A },
    ]);
    expect(followMoves([scan(B, 11, -50), scan(A, 11, -60)], known(A, 10), nowhere)).to.deep.equal([
      { from: A },
      null,
    ]);
    expect(followMoves([scan(B, 11), scan(A, 11)], known(A, 10), nowhere)).to.deep.equal([
      { from: A },
      { from: B },
    ]);
    expect(followMoves([scan(B, 11), scan(C, 11)], known(A, 10), nowhere)).to.deep.equal([{ from: A }, null]);
  });

  it('at the very instant of the last one before, what the recorder made of it', () => {
    expect(followMoves([scan(B, 10)], known(A, 10), new Map([[7, B]]))).to.deep.equal([{ from: A }]);
    expect(followMoves([scan(B, 10)], known(A, 10), new Map([[7, A]]))).to.deep.equal([null]);
  });
});
