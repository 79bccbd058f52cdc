import { expect } from 'chai';
import fc from 'fast-check';
import type { Move } from '../../../domain/tracking/moves.ts';
import { randomSets } from '../../support/random-sets.ts';
import { historyByDefinition } from '../../support/sightings.ts';
import { provingSettings } from '../../support/statements.ts';
import { AssetInMemory } from './location/in-memory.ts';
import { ARRIVALS, arriving, type RandomRead, someReads } from './location/passing.ts';

const arrivals = fc.tuple(fc.constantFrom(...ARRIVALS), fc.infiniteStream(fc.nat()));

/** Batches in the order in which they may arrive. */
function batchesOf(
  reads: readonly RandomRead[],
  [how, random]: [(typeof ARRIVALS)[number], Iterator<number>],
): RandomRead[][] {
  return arriving(reads, how, () => random.next().value ?? 0);
}

/** With position an asset may be elsewhere than where it was read. */
const strengthSettings = provingSettings.map((settings) =>
  settings.map((dated) =>
    dated.setting !== 'inherit' && dated.setting.procedure === 'position'
      ? { ...dated, setting: { procedure: 'strength' as const, certainty: dated.setting.certainty } }
      : dated,
  ),
);

const facts = ({ scan, from }: Move) => ({ at: scan.observedAt, from, to: scan.locationId });

/** Without copies that differ in strength only. */
function distinct(reads: readonly RandomRead[]): RandomRead[] {
  return [
    ...new Map(
      reads.map((read) => [`${read.location} ${read.at} ${read.isByPerson}`, read] as const),
    ).values(),
  ];
}

describe('the moves of recorded scans', () => {
  it('are those by which each scan, as if it had come alone, changes what is history of all so far (up to 5,000 random sets)', () =>
    fc.assert(
      fc.asyncProperty(someReads, arrivals, async (some, how) => {
        const batches = batchesOf(distinct(some), how);
        const inBatches = new AssetInMemory([]);
        const alone = new AssetInMemory([]);
        const soFar: RandomRead[] = [];
        let location: number | null = null;
        for (const batch of batches) {
          const expected = batch.flatMap((read) => {
            soFar.push(read);
            const from = location;
            location = locationByDefinition(soFar);
            return location === from ? [] : [{ at: read.at, from, to: location }];
          });
          expect((await inBatches.record(batch)).map(facts), 'in batches').to.deep.equal(expected);
          const oneByOne = [];
          for (const read of batch) {
            oneByOne.push(...(await alone.record([read])));
          }
          expect(oneByOne.map(facts), 'one by one').to.deep.equal(expected);
        }
      }),
      { numRuns: randomSets(5_000) },
    ));

  it('are the history, of scans in order of time (2,000 random sets)', () =>
    fc.assert(
      fc.asyncProperty(someReads, fc.infiniteStream(fc.nat()), async (some, random) => {
        // Of an instant only one: of several the last moves the asset, and the first is in its history.
        const ofInstants = [...new Map(some.map((read) => [read.at, read])).values()];
        const asset = new AssetInMemory([]);
        const moves: Move[] = [];
        for (const batch of batchesOf(ofInstants, ['in order', random])) {
          moves.push(...(await asset.record(batch)));
        }
        expect(moves.map(({ scan }) => [scan.observedAt, scan.locationId])).to.deep.equal(
          asset.history.map(({ observedAt, locationId }) => [observedAt, locationId]),
        );
      }),
      { numRuns: 2_000 },
    ));

  it('lead from where an asset was to where it is, where strength decides (up to 5,000 random sets)', async () => {
    let batchesThatMove = 0;
    let batchesThatDisprove = 0;
    await fc.assert(
      fc.asyncProperty(someReads, strengthSettings, arrivals, async (some, settings, how) => {
        const asset = new AssetInMemory(settings);
        for (const batch of batchesOf(some, how)) {
          const before = asset.position.stay?.locationId ?? null;
          const known = new Set(
            asset.seen.map((scan) => nameOf({ ...scan, isByPerson: scan.scan.source.kind === 'handheld' })),
          );
          const moves = (await asset.record(batch)).map(facts);
          const after = asset.position.stay?.locationId ?? null;
          let location = before;
          for (const { from, to } of moves) {
            expect(from).to.equal(location);
            location = to;
          }
          if (batch.some((read) => read.location === after && !known.has(nameOf(seenBy(read))))) {
            expect(location).to.equal(after);
          } else {
            // It is elsewhere, if it is, for want of what proved that it was there.
            expect(moves).to.deep.equal([]);
            batchesThatDisprove += Number(before !== after);
          }
          if (batch.length === 1) {
            expect(moves.length).to.be.at.most(before === after ? 0 : 1);
          }
          batchesThatMove += Number(before !== after);
        }
      }),
      { numRuns: randomSets(5_000) },
    );
    expect(batchesThatMove).to.be.above(randomSets(2_000));
    expect(batchesThatDisprove / batchesThatMove).to.be.below(0.2);
  });
});

function seenBy({ location, at, rssi, isByPerson }: RandomRead) {
  return { observedAt: at, locationId: location, rssi: isByPerson ? null : rssi, isByPerson };
}

function nameOf({ observedAt, locationId, isByPerson }: Omit<ReturnType<typeof seenBy>, 'rssi'>): string {
  return `${observedAt} ${locationId} ${isByPerson}`;
}

function locationByDefinition(reads: readonly RandomRead[]): number | null {
  const known = reads.map(seenBy);
  const last = Math.max(...known.map(({ observedAt }) => observedAt));
  return historyByDefinition(known.filter(({ observedAt }) => observedAt === last))[0]?.locationId ?? null;
}
