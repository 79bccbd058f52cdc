import { expect } from 'chai';
import fc from 'fast-check';
import { compareRssi } from '../../../domain/tracking/history/history.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { randomSets } from '../../support/random-sets.ts';
import {
  aRead,
  decidingScan,
  type Memory,
  memoriesOf,
  storedDecisions,
  storedPosition,
} from '../../support/recording.ts';
import { anInstant, anRssi, decidedHistoryByDefinition } from '../../support/sightings.ts';
import { Site } from '../../support/site.ts';
import { expectFeedToFold, recordAndLook } from '../../support/unsealed-moves.ts';

/**
 * Random reads of an asset with two tags by three readers with two antennas each, at three locations, so that readers
 * overlap and reads meet at one instant; each set is recorded in random order, batches and repetitions, on one asset
 * by one writer and on another by two at once. Beside the first goes a third, which has some of the reads elsewhere.
 */
const aRandomRead = fc.record({
  tag: fc.nat({ max: 1 }),
  reader: fc.nat({ max: 2 }),
  antenna: fc.integer({ min: 1, max: 2 }),
  at: anInstant,
  rssi: anRssi,
});
type RandomRead = typeof aRandomRead extends fc.Arbitrary<infer Read> ? Read : never;

const besides = ({ reader, ...read }: RandomRead): RandomRead[] =>
  read.tag === 1 ? [{ ...read, reader: (reader + 1) % 3 }] : [];

const LOCATION_OF = (reader: number, antenna: number) => (reader + antenna) % 3;

describe('recording', () => {
  const database = useDatabase();
  const locations: number[] = [];
  const readers: number[] = [];
  let site: Site;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    for (const key of ['A', 'B', 'C']) {
      locations.push(await site.location(key));
    }
    for (const name of ['r0', 'r1', 'r2']) {
      readers.push(await site.reader(name, [null, null]));
    }
  });

  const locationOf = ({ reader, antenna }: RandomRead) => locations[LOCATION_OF(reader, antenna)] ?? 0;

  async function anAsset(): Promise<{ id: number; scanOf: (read: RandomRead) => Scan }> {
    const name = `asset-${++assets}`;
    const id = await site.asset(name, `${name}-tag-0`);
    await site.tag({ assetId: id }, `${name}-tag-1`);
    const scanOf = (read: RandomRead) =>
      aRead({
        ...read,
        orgId: site.orgId,
        readerId: readers[read.reader] ?? 0,
        value: `${name}-tag-${read.tag}`,
        locationId: locationOf(read),
        receivedAt: read.at + 10 * read.reader + read.tag,
      });
    return { id, scanOf };
  }

  async function expectHistoryOf(
    { id, scanOf }: Awaited<ReturnType<typeof anAsset>>,
    reads: readonly RandomRead[],
  ): Promise<void> {
    const identity = ({ tag, reader, antenna, at }: RandomRead) => `${tag} ${reader} ${antenna} ${at}`;
    const distinct = [...Map.groupBy(reads, identity).values()].map((copies) =>
      copies.reduce((best, copy) => (compareRssi(copy.rssi, best.rssi) > 0 ? copy : best)),
    );
    const expected = decidedHistoryByDefinition(
      distinct.map((read) => ({
        observedAt: read.at,
        locationId: locationOf(read),
        rssi: read.rssi,
        scan: decidingScan(scanOf(read)),
      })),
    );
    const last = expected.at(-1);
    expect(await storedDecisions(database, id)).to.deep.equal(expected);
    expect(await storedPosition(database, id)).to.deep.equal(
      last === undefined
        ? undefined
        : {
            locationId: last.locationId,
            since: last.observedAt,
            lastSeen: Math.max(...reads.map(({ at }) => at)),
          },
    );
    const [stored] = await database.rows<{ count: number }>(
      'select count(*) from scan_events where asset_id = $1',
      [id],
    );
    expect(stored?.count).to.equal(distinct.length);
  }

  it('ends in the same rows for the same scans, however they arrive, and tells of every change (up to 500 random sets, two writers)', async () => {
    const aSet = fc.array(aRandomRead, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(aSet, fc.infiniteStream(fc.nat()), async (reads, random) => {
        const next = () => random.next().value ?? 0;
        const [alone, beside] = [await anAsset(), await anAsset()];
        const [memory, ...memories] = memoriesOf(next);
        const look = ({ id }: typeof alone, scans: Scan[], by: Memory) =>
          recordAndLook(database, scans, id, by);
        const looks = [];
        for (const batch of batches(reads, next)) {
          const others = batch.flatMap(besides).map(beside.scanOf);
          looks.push(await look(alone, [...others, ...batch.map(alone.scanOf)], memory));
        }
        await expectHistoryOf(alone, reads);
        await expectHistoryOf(beside, reads.flatMap(besides));
        await expectFeedToFold(database, alone.id, looks);

        const contested = await anAsset();
        const contestedLooks: typeof looks = [];
        const writer = async (own: RandomRead[][], by: Memory) => {
          for (const batch of own) {
            contestedLooks.push(await look(contested, batch.map(contested.scanOf), by));
          }
        };
        const dealt = Object.groupBy(batches(reads, next), () => (next() % 2 === 0 ? 'one' : 'other'));
        await Promise.all([writer(dealt.one ?? [], memories[0]), writer(dealt.other ?? [], memories[1])]);
        await expectHistoryOf(contested, reads);
        await expectFeedToFold(database, contested.id, contestedLooks);
      }),
      // Where others share the processor, fewer; and what fails says so, however long making it smaller takes.
      { numRuns: randomSets(500), interruptAfterTimeLimit: 60_000 },
    );
  });
});

/** `reads` in random order, some of them repeated, in random batches. */
function batches(reads: readonly RandomRead[], next: () => number): RandomRead[][] {
  const repeated = [...reads, ...reads.filter(() => next() % 4 === 0)];
  const shuffled = repeated.map((read) => ({ read, order: next() })).sort((a, b) => a.order - b.order);
  const made: RandomRead[][] = [];
  for (let start = 0; start < shuffled.length; ) {
    const batch = shuffled.slice(start, start + 1 + (next() % 10));
    start += batch.length;
    made.push(batch.map(({ read }) => read));
  }
  return made;
}
