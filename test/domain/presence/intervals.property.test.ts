import { expect } from 'chai';
import fc from 'fast-check';
import { type Interval, within, without } from '../../../domain/presence/intervals.ts';
import { meanTimeOf } from '../../support/held-loop.ts';

/** In order and apart, though one may begin where another ends. */
const apart = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 4 })), { maxLength: 25 })
  .map((steps) => {
    const intervals: Interval[] = [];
    for (const [gap, length] of steps) {
      const since = (intervals.at(-1)?.until ?? 0) + gap;
      intervals.push({ since, until: since + length });
    }
    return intervals;
  });

const has = (intervals: readonly Interval[], instant: number) =>
  intervals.some(({ since, until }) => since <= instant && instant < until);

const instants = Array.from({ length: 200 }, (_, instant) => instant);

describe('times within and without others', () => {
  it('are each one with each other, in order', () => {
    fc.assert(
      fc.property(apart, apart, (one, other) => {
        const pairs = one.flatMap((each) =>
          other.map(({ since, until }) => ({
            since: Math.max(each.since, since),
            until: Math.min(each.until, until),
          })),
        );
        expect(within(one, other)).to.deep.equal(pairs.filter(({ since, until }) => since < until));
      }),
      { numRuns: 2_000 },
    );
  });

  it('have the instants of the one that are not of the other', () => {
    fc.assert(
      fc.property(apart, apart, (one, other) => {
        const left = without(one, other);
        expect(instants.filter((at) => has(left, at))).to.deep.equal(
          instants.filter((at) => has(one, at) && !has(other, at)),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('are found of one among 200,000 in less than 0.1 ms', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => ({ since: 2 * index, until: 2 * index + 1 }));
    const one = [{ since: 399_990, until: 399_993 }];
    expect(meanTimeOf(() => within(many, one), 1_000)).to.be.below(0.1);
    expect(meanTimeOf(() => within(one, many), 1_000)).to.be.below(0.1);
  });
});
