import { expect } from 'chai';
import fc from 'fast-check';
import { decidedSmoothedHistory } from '../../../support/smoothing-by-definition.ts';
import { AssetInMemory } from './in-memory.ts';
import { ARRIVALS, arriving, datesAMoveEarlier, provingSettings, someReads } from './passing.ts';

describe('history where smoothing is on', () => {
  it('does not depend on the order of arrival (10,000 random sets)', async () => {
    let sets = 0;
    let proving = 0;
    await fc.assert(
      fc.asyncProperty(
        someReads,
        provingSettings,
        fc.infiniteStream(fc.nat()),
        async (reads, settings, random) => {
          const next = () => random.next().value ?? 0;
          const inOrder = new AssetInMemory(settings);
          for (const batch of arriving(reads, 'in order', next)) {
            await inOrder.record(batch);
          }
          const expected = decidedSmoothedHistory(inOrder.seen, settings);
          expect(inOrder.history, 'in order').to.deep.equal(expected);
          sets++;
          proving += Number(datesAMoveEarlier(inOrder.seen, settings));
          const how = ARRIVALS[next() % ARRIVALS.length] ?? 'in order';
          const another = new AssetInMemory(settings);
          for (const batch of arriving(reads, how, next)) {
            await another.record(batch);
          }
          expect(another.history, how).to.deep.equal(expected);
          expect(another.position).to.deep.equal(inOrder.position);
        },
      ),
      { numRuns: 10_000 },
    );
    expect(proving / sets, 'sets in which a scan where the asset is dates its move earlier').to.be.at.least(
      0.2,
    );
  });
});
