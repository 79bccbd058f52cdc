import { expect } from 'chai';
import { ADVISORY_LOCKS } from '../../db/timescale/advisory-locks.ts';

describe('the advisory locks', () => {
  it('have different keys, so that none waits for another', () => {
    const keys = Object.values<number>(ADVISORY_LOCKS);
    expect(new Set(keys).size).to.equal(keys.length);
  });
});
