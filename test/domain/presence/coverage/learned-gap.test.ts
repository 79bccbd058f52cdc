import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { learnedGap } from '../../../../domain/presence/coverage/learned-gap.ts';

const gaps = (count: number, seconds: number) =>
  Array.from({ length: count }, () => seconds * MICROS_PER_SECOND);

describe('the gap that is learned of a location', () => {
  it('is twice the longest but one in a thousand, in whole seconds', () => {
    expect(learnedGap([...gaps(998, 4), ...gaps(1, 9.2)])).to.equal(19 * MICROS_PER_SECOND);
    expect(learnedGap([...gaps(998, 4), ...gaps(1, 9.2), ...gaps(1, 500)])).to.equal(19 * MICROS_PER_SECOND);
    expect(learnedGap(gaps(100, 0.01))).to.equal(MICROS_PER_SECOND);
    expect(learnedGap(gaps(100, 86_000))).to.equal(MICROS_PER_DAY);
  });

  it('is not known of fewer than a hundred gaps', () => {
    expect(learnedGap(gaps(99, 4))).to.equal(null);
  });
});
