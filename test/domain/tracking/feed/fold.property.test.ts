import { expect } from 'chai';
import fc from 'fast-check';
import type { DatedSetting } from '../../../../domain/tracking/location/site.ts';
import { folded } from '../../../support/fold.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { provingSettings } from '../../../support/statements.ts';
import { AssetInMemory } from '../location/in-memory.ts';
import { ARRIVALS, arriving, someReads } from '../location/passing.ts';

const OFF: DatedSetting[] = [];

describe('what is told of a history', () => {
  it('makes it, at every commit, though the first of it be applied twice (up to 10,000 random sets)', async () => {
    const kinds = { moved: 0, corrected: 0 };
    let removed = 0;
    const settings = fc.oneof(fc.constant(OFF), provingSettings);
    await fc.assert(
      fc.asyncProperty(someReads, settings, fc.infiniteStream(fc.nat()), async (reads, dated, random) => {
        const next = () => random.next().value ?? 0;
        const asset = new AssetInMemory(dated);
        for (const batch of arriving(reads, ARRIVALS[next() % ARRIVALS.length] ?? 'in order', next)) {
          await asset.record(batch);
          const rows = asset.history.map(({ observedAt, locationId, durationSeconds }) => ({
            observedAt,
            locationId,
            durationSeconds,
          }));
          expect(folded(asset.told)).to.deep.equal(rows);
          expect(folded([...asset.told.slice(0, 1), ...asset.told])).to.deep.equal(rows);
          const { location_id: locationId = null, since = null } = asset.told.at(-1) ?? {};
          expect(locationId === null ? null : { locationId, since }).to.deep.equal(asset.position.stay);
        }
        for (const { kind, rows } of asset.told) {
          kinds[kind]++;
          removed += rows?.removed?.length ?? 0;
        }
      }),
      { numRuns: randomSets(10_000) },
    );
    // All kinds of change were among them.
    expect(Math.min(kinds.moved, kinds.corrected, removed)).to.be.above(randomSets(1_000));
  });
});
