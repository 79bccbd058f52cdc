import { expect } from 'chai';
import fc from 'fast-check';
import { type Heard, outside } from '../../../domain/presence/intervals.ts';

/** In order and apart; what has no length counts too. */
const apart = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 })), { maxLength: 12 })
  .map((steps) => {
    const pieces: Heard[] = [];
    for (const [gap, length] of steps) {
      const since = (pieces.at(-1)?.until ?? 0) + gap;
      pieces.push({ since, until: since + length });
    }
    return pieces;
  });

describe('pieces of time outside of stretches', () => {
  it('are those that no stretch has from their first instant to their last', () => {
    fc.assert(
      fc.property(apart, apart, (pieces, stretches) => {
        const isWithin = ({ since, until }: Heard) =>
          stretches.some((stretch) => stretch.since <= since && stretch.until >= until);
        expect(outside(pieces, stretches)).to.deep.equal(pieces.filter((piece) => !isWithin(piece)));
      }),
      { numRuns: 2_000 },
    );
  });
});
