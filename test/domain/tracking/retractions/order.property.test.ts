import { expect } from 'chai';
import fc from 'fast-check';
import type { DatedSetting } from '../../../../domain/tracking/location/site.ts';
import { folded } from '../../../support/fold.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { decidedByAll, provingSettings } from '../../../support/statements.ts';
import { AssetInMemory } from '../location/in-memory.ts';
import { ARRIVALS, arriving, manyAtOnce, type RandomRead, someReads } from '../location/passing.ts';

const someSettings: fc.Arbitrary<DatedSetting[]> = fc.oneof(
  { arbitrary: fc.constant<DatedSetting[]>([]), weight: 1 },
  { arbitrary: provingSettings, weight: 2 },
);

/** What happens to an asset: reads come, or are taken back. */
type Step = { reads: RandomRead[] } | { takenBack: RandomRead[] };

describe('history without what was taken back', () => {
  it('is that of the other scans, whenever what is taken back came (up to 10,000 random sets, proven and not)', async () => {
    const met = { emptied: 0, backwards: 0, early: 0, around: 0, within: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ arbitrary: someReads, weight: 4 }, { arbitrary: manyAtOnce, weight: 1 }),
        someSettings,
        fc.infiniteStream(fc.nat()),
        async (reads, settings, random) => {
          const next = () => random.next().value ?? 0;
          const most = 1 + (next() % 4);
          const isEverything = next() % 8 === 0;
          const takenBack = reads.filter(() => isEverything || next() % 4 < most);
          const steps: Step[] = arriving(reads, ARRIVALS[next() % ARRIVALS.length] ?? 'in order', next).map(
            (batch) => ({ reads: batch }),
          );
          for (const each of inGroups(takenBack, next)) {
            steps.splice(next() % (steps.length + 1), 0, { takenBack: each });
          }
          const asset = new AssetInMemory(settings);
          for (const step of steps) {
            const before = asset.position.lastSeen;
            if ('reads' in step) {
              await asset.record(step.reads);
            } else {
              met.early += Number(asset.seen.length === 0);
              await asset.takeBack(step.takenBack);
            }
            const { lastSeen } = asset.position;
            met.backwards += Number(lastSeen !== null && before !== null && lastSeen < before);
            met.emptied += Number(lastSeen === null && before !== null);
            await expectFunctionOf(asset);
          }
          met.around += asset.around;
          met.within += asset.within;
          const name = ({ location, at, isByPerson }: RandomRead) => `${location} ${at} ${isByPerson}`;
          const gone = new Set(takenBack.map(name));
          const left = new Set(reads.map(name).filter((each) => !gone.has(each)));
          expect(asset.seen).to.have.length(left.size);
        },
      ),
      { numRuns: randomSets(10_000) },
    );
    for (const [what, times] of Object.entries(met)) {
      expect(times, what).to.be.at.least(randomSets(500));
    }
  });
});

async function expectFunctionOf(asset: AssetInMemory): Promise<void> {
  const { history: expected, newest } = await decidedByAll(asset.seen, asset.site);
  expect(asset.newest).to.deep.equal(newest);
  expect(asset.history).to.deep.equal(expected);
  expect(folded(asset.told)).to.deep.equal(
    expected.map(({ observedAt, locationId, durationSeconds }) => ({
      observedAt,
      locationId,
      durationSeconds,
    })),
  );
  const last = expected.at(-1);
  const { stay, lastSeen } = asset.position;
  expect(stay).to.deep.equal(
    last === undefined ? null : { locationId: last.locationId, since: last.observedAt },
  );
  expect(lastSeen).to.equal(
    asset.seen.length === 0 ? null : Math.max(...asset.seen.map(({ observedAt }) => observedAt)),
  );
}

/** In random order and groups, some of them twice. */
function inGroups(reads: readonly RandomRead[], next: () => number): RandomRead[][] {
  const repeated = [...reads, ...reads.filter(() => next() % 6 === 0)];
  const shuffled = repeated
    .map((read) => ({ read, order: next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ read }) => read);
  const groups: RandomRead[][] = [];
  for (let start = 0; start < shuffled.length; ) {
    const group = shuffled.slice(start, start + 1 + (next() % 4));
    start += group.length;
    groups.push(group);
  }
  return groups;
}
