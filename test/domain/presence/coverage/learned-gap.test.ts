import { expect } from 'chai';

import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { coveredGaps, type Gaps, learnedGap } from '../../../../domain/presence/coverage/learned-gap.ts';
import type { Interval } from '../../../../domain/presence/intervals.ts';

const gaps = (count: number, seconds: number, since = 0): Interval[] =>
  Array.from({ length: count }, () => ({ since, until: since + seconds * MICROS_PER_SECOND }));
const all = (...longest: Interval[]): Gaps => ({ count: longest.length, longest });

describe('the gap that is learned of a location', () => {
  it('is twice the longest but one in a thousand, in whole seconds', () => {
    expect(learnedGap(all(...gaps(1, 9.2), ...gaps(998, 4)))).to.equal(19 * MICROS_PER_SECOND);
    expect(learnedGap(all(...gaps(1, 500), ...gaps(1, 9.2), ...gaps(998, 4)))).to.equal(
      19 * MICROS_PER_SECOND,
    );
    expect(learnedGap(all(...gaps(100, 0.01)))).to.equal(MICROS_PER_SECOND);
    expect(learnedGap(all(...gaps(100, 86_000)))).to.equal(MICROS_PER_DAY);
  });

  it('is not known of fewer than a hundred gaps', () => {
    expect(learnedGap(all(...gaps(99, 4)))).to.equal(null);
  });

  it('leaves out gaps in which nobody would have read anything', () => {
    const some = all(...gaps(1, 500, 1_000), ...gaps(1, 60, 0), ...gaps(200, 4, 5));
    const covered = [
      { since: 0, until: 61 * MICROS_PER_SECOND },
      { since: 100 * MICROS_PER_SECOND, until: 900 * MICROS_PER_SECOND },
    ];
    expect(coveredGaps(some, covered)).to.deep.equal(all(...gaps(1, 60, 0), ...gaps(200, 4, 5)));
    expect(coveredGaps(some, [])).to.deep.equal(all());
    expect(learnedGap({ count: 5_000, longest: gaps(5, 4) })).to.equal(null);
  });
});
