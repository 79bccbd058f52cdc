import { expect } from 'chai';
import fc from 'fast-check';
import { countWrongRows, isAnyWrong, mendClock } from '../../../domain/messages/mend-clock.ts';
import type { DatedSetting } from '../../../domain/tracking/location/site.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { folded } from '../../support/fold.ts';
import { STRENGTH, storeSettings } from '../../support/location-settings.ts';
import { randomSets } from '../../support/random-sets.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { anRssi, START } from '../../support/sightings.ts';
import { Site } from '../../support/site.ts';
import { unsealedMoves } from '../../support/unsealed-moves.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const AHEAD = 60 * MINUTE;
/** The clock was wrong from the one to the other. */
const WRONG_FROM = START + 10 * MINUTE;
const WRONG_TO = START + 40 * MINUTE;
const CLOCK = { from: WRONG_FROM + AHEAD, to: WRONG_TO + AHEAD, ahead: AHEAD, isAll: false };

interface Read {
  location: number;
  deviceTime: number | null;
  receivedAt: number;
  rssi: number | null;
}

/** Few instants and places, so that reads meet. */
const aReadSomewhere = fc
  .record({ location: fc.nat(2), step: fc.nat(330), delay: fc.nat(9), hasTime: fc.boolean(), rssi: anRssi })
  .map(({ location, step, delay, hasTime, rssi }) => {
    const instant = START + step * 20 * SECOND;
    // Never at the instant at which the wrong clock dated another.
    const at = instant < CLOCK.from ? instant : instant + 7 * SECOND;
    return { location, at, receivedAt: at + delay * 20 * SECOND, hasTime, rssi };
  });

/** Without a device's time none that a right clock received in the window. */
const someReads: fc.Arbitrary<Read[]> = fc.array(
  aReadSomewhere.map(({ location, at, receivedAt, hasTime, rssi }) => {
    const deviceTime = hasTime || receivedAt >= CLOCK.from ? at : null;
    return { location, deviceTime, receivedAt, rssi };
  }),
  { minLength: 5, maxLength: 40 },
);

/** By how much clocks of devices are ahead. A right clock uses their times only up to two minutes. */
const someSpeed = fc.constantFrom(0, MINUTE, 30 * MINUTE, AHEAD, 3 * AHEAD);

/** Of devices whose clocks may be ahead, too; none that a right clock received in the window. */
const readsOfFastDevices: fc.Arbitrary<Read[]> = fc
  .array(fc.tuple(aReadSomewhere, someSpeed), { minLength: 5, maxLength: 40 })
  .map((reads) =>
    reads
      .map(([{ location, at, receivedAt, hasTime, rssi }, fast], index) => {
        // Each at an instant of its own: two at one would be one read, where a right clock received two.
        const deviceTime = fast === 0 ? at : at + fast + index + 1;
        return { location, deviceTime: hasTime ? deviceTime : null, receivedAt, rssi };
      })
      .filter(({ receivedAt }) => receivedAt < CLOCK.from || receivedAt >= CLOCK.to),
  );

/** More than a transaction mends. */
const MANY_READS = Array.from({ length: 2_500 }, (_, index): Read => {
  const receivedAt = WRONG_FROM + index * 400_000;
  return { location: Math.floor(index / 10) % 3, deviceTime: null, receivedAt, rssi: null };
});

/** Likewise; of those in a message, a right clock would have made one. */
const MANY_OF_FAST_DEVICES = MANY_READS.map(({ location, receivedAt }, index): Read => {
  const received = WRONG_FROM + Math.floor(index / 5) * 2 * SECOND;
  return { location, deviceTime: receivedAt + AHEAD, receivedAt: received, rssi: index % 7 };
});

const BY_STRENGTH: DatedSetting[] = [{ locationId: null, validFrom: START - 60 * MINUTE, setting: STRENGTH }];

describe('mending what a wrong clock recorded', () => {
  const database = useDatabase();

  /** A site of its own, with what it recorded of each asset. */
  async function recorded(all: readonly Read[][], settings: readonly DatedSetting[], isRight: boolean) {
    const site = await Site.create(database);
    const { orgId } = site;
    await storeSettings(database, orgId, settings);
    const locations: number[] = [];
    const readers: number[] = [];
    for (const key of ['A', 'B', 'C']) {
      locations.push(await site.location(key));
      readers.push(await site.reader(`${orgId}-${key}`, [null]));
    }
    const assetIds: number[] = [];
    for (const index of all.keys()) {
      assetIds.push(await site.asset(`asset-${index}`, `asset-${index}`));
    }
    const scans = all
      .flatMap((reads, index) => reads.map((read) => ({ ...read, value: `asset-${index}` })))
      .toSorted((a, b) => a.receivedAt - b.receivedAt)
      .map(({ location, deviceTime, receivedAt, rssi, value }) => {
        const isWrong = !isRight && receivedAt >= WRONG_FROM && receivedAt < WRONG_TO;
        const read = aRead({
          ...{ orgId, readerId: readers[location] ?? 0, value, locationId: locations[location] ?? 0 },
          ...{ at: receivedAt, rssi, receivedAt: isWrong ? receivedAt + AHEAD : receivedAt },
        });
        return { ...read, deviceTime };
      });
    for (let start = 0; start < scans.length; start += 300) {
      await record(database, scans.slice(start, start + 300));
    }
    const ofAsset = async (assetId: number) => {
      const rows = await storedHistory(database, assetId);
      const position = await storedPosition(database, assetId);
      const nameOf = (locationId: number | undefined) => locations.indexOf(locationId ?? 0);
      return {
        rows: rows.map((row) => ({ ...row, locationId: nameOf(row.locationId) })),
        position: { ...position, locationId: nameOf(position?.locationId) },
      };
    };
    return { orgId, assetIds, look: () => Promise.all(assetIds.map(ofAsset)) };
  }

  const USUAL = { settings: [] as DatedSetting[], reads: someReads, many: MANY_READS, clock: CLOCK };
  const cases = {
    '': USUAL,
    '; by strength': { ...USUAL, settings: BY_STRENGTH },
    "; by strength, devices' clocks ahead, too": {
      ...{ settings: BY_STRENGTH, reads: readsOfFastDevices, many: MANY_OF_FAST_DEVICES },
      clock: { ...CLOCK, isAll: true },
    },
  };
  for (const [how, { settings, reads, many, clock }] of Object.entries(cases)) {
    it(`leaves the histories and positions of a run under a right clock (up to 80 random sets${how})`, async () => {
      const all = [...fc.sample(reads, { numRuns: randomSets(80), seed: 11 }), many];
      const expected = await (await recorded(all, settings, true)).look();
      const wrong = await recorded(all, settings, false);
      const before = await wrong.look();
      const differing = before.filter(
        (each, index) => JSON.stringify(each) !== JSON.stringify(expected[index]),
      );
      expect(differing.length).to.be.above(randomSets(40));
      const { orgId } = wrong;

      const stopping = new AbortController();
      const { pool } = database;
      const onProgress = () => stopping.abort();
      const stopped = await mendClock(pool, TEST_ACTOR, orgId, clock, {
        signal: stopping.signal,
        onProgress,
      });
      expect(stopped.isFinished).to.equal(false);
      const finished = await mendClock(pool, TEST_ACTOR, orgId, clock, {});
      expect(finished.isFinished).to.equal(true);

      expect(await wrong.look()).to.deep.equal(expected);
      expect(isAnyWrong(await countWrongRows(database.pool, orgId, clock))).to.equal(false);
      for (const assetId of wrong.assetIds) {
        expect(folded(await unsealedMoves(database, assetId))).to.deep.equal(
          await storedHistory(database, assetId),
        );
      }
    });
  }
});
