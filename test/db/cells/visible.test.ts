import { expect } from 'chai';
import { sees } from '../../../db/timescale/cells/switch-over.ts';

describe('a snapshot', () => {
  it('sees the transactions that had ended, also past 32 bits', () => {
    const seen = (snapshot: string, xids: readonly number[]) => xids.filter((xid) => sees(snapshot, xid));
    expect(seen('10:10:', [9, 10, 11])).to.deep.equal([9]);
    expect(seen('10:14:10,12', [9, 10, 11, 12, 13, 14])).to.deep.equal([9, 11, 13]);
    // 4294967294 to 4294967298: the logs have -2, -1, 0, 1, 2, and 2^32 - 2 if they are read without a sign.
    expect(seen('4294967294:4294967298:4294967294,4294967297', [-3, -2, -1, 0, 1, 2])).to.deep.equal([
      -3, -1, 0,
    ]);
    expect(seen('4294967294:4294967298:4294967294', [4_294_967_294, 4_294_967_295])).to.deep.equal([
      4_294_967_295,
    ]);
  });
});
