import { expect } from 'chai';
import fc from 'fast-check';
import { STRENGTH } from '../../../support/location-settings.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { decidedByAll, provingSettings } from '../../../support/statements.ts';
import { AssetInMemory } from './in-memory.ts';
import { ARRIVALS, aLongWalk, arriving, someReads } from './passing.ts';

describe('history where locations are decided by all scans', () => {
  it('does not depend on the order of arrival (up to 5,000 random sets)', async () => {
    const met = { positions: 0, moves: 0 };
    await fc.assert(
      fc.asyncProperty(
        someReads,
        provingSettings,
        fc.constantFrom(...ARRIVALS),
        fc.infiniteStream(fc.nat()),
        async (reads, settings, how, random) => {
          const asset = new AssetInMemory(settings, random.next().value % 2 === 0);
          for (const batch of arriving(reads, how, () => random.next().value ?? 0)) {
            await asset.record(batch);
          }
          const { history, newest } = await decidedByAll(asset.seen, asset.site);
          expect(asset.history).to.deep.equal(history);
          expect(asset.newest).to.deep.equal(newest);
          const last = history.at(-1);
          expect(asset.position.stay).to.deep.equal(
            last === undefined ? null : { locationId: last.locationId, since: last.observedAt },
          );
          met.positions += Number(newest !== null);
          met.moves += Number(history.length > 1);
        },
      ),
      { numRuns: randomSets(5_000) },
    );
    expect(Math.min(met.positions, met.moves)).to.be.above(randomSets(300));
  });

  it('does not depend on what is remembered of an asset that is read often (200 random walks)', async () => {
    const met = { remembered: 0, dense: 0 };
    const property = fc.asyncProperty(aLongWalk, provingSettings, async (batches, settings) => {
      const asset = new AssetInMemory(settings, true);
      for (const batch of batches) {
        await asset.record(batch);
      }
      const { history, newest } = await decidedByAll(asset.seen, asset.site);
      expect(asset.history).to.deep.equal(history);
      expect(asset.newest).to.deep.equal(newest);
      met.remembered += batches.length - asset.loads;
      met.dense += asset.dense;
    });
    await fc.assert(property, { numRuns: 200 });
    expect(met.remembered).to.be.above(2_000);
    expect(met.dense).to.be.above(5);
    // Once failed: what comes a little more than a minute late was remembered twice.
    await fc.assert(property, { seed: 1362027100, path: '3538' });
  });

  it('is that of all scans where one that comes a minute late bears on forgotten ones, read now and then', async () => {
    const asset = new AssetInMemory([{ locationId: null, validFrom: 0, setting: STRENGTH }], true);
    const read = (location: number, second: number, rssi: number) =>
      asset.record([{ location, at: (100 + second) * 1_000_000, rssi, isByPerson: false }]);
    for (let second = 0; second <= 66; second += 11) {
      await read(1, second, -52);
    }
    const { loads } = asset;
    await read(2, 11.3, -40);
    expect(asset.history).to.deep.equal((await decidedByAll(asset.seen, asset.site)).history);
    expect(asset.history[0]?.locationId).to.equal(2);
    expect(asset.loads).to.be.above(loads);
  });

  it('is loaded once of an asset that is read hundreds of times a second', async () => {
    const asset = new AssetInMemory([{ locationId: null, validFrom: 0, setting: STRENGTH }], true);
    const reads = (second: number, seconds: number) =>
      Array.from({ length: 400 * seconds }, (_, read) => ({
        ...{ at: (second + read / 400) * 1_000_000, location: 1 + (read % 4), rssi: -50 - (read % 4) },
        isByPerson: false,
      }));
    await asset.record(reads(100, 60));
    const { loads } = asset;
    for (let second = 160; second < 165; second++) {
      await asset.record(reads(second, 1));
    }
    expect(asset.loads).to.equal(loads);
  });

  it('is loaded twice where messages of a minute each have reads of the same minute', async () => {
    const asset = new AssetInMemory([{ locationId: null, validFrom: 0, setting: STRENGTH }], true);
    const message = (number: number) =>
      Array.from({ length: 240 }, (_, read) => ({
        ...{ at: 100_000_000 + read * 250_000 + number * 1_000, location: 1 + (read % 2) },
        ...{ rssi: -50 - (read % 30), isByPerson: false },
      }));
    for (let number = 0; number < 6; number++) {
      await asset.record(message(number));
    }
    expect(asset.loads).to.equal(2);
    const { history } = await decidedByAll(asset.seen, asset.site);
    expect(asset.history).to.deep.equal(history);
  });

  it('is loaded now and then where a minute of one antenna comes after that of another, and changes stays', async () => {
    const asset = new AssetInMemory([{ locationId: null, validFrom: 0, setting: STRENGTH }], true);
    const messages = [1, 2, 3, 4].flatMap((location) =>
      Array.from({ length: 60 }, (_, second) =>
        Array.from({ length: 10 }, (_, read) => ({
          ...{ location, at: (100 + second + (read + location / 10) / 10) * 1_000_000, isByPerson: false },
          // It goes from one to the next every ten seconds.
          rssi: -50 - (Math.floor(second / 10) % 4 === location - 1 ? 0 : 10) - (read % 5),
        })),
      ),
    );
    for (const message of messages) {
      await asset.record(message);
    }
    expect(asset.loads).to.be.below(20);
    const { history } = await decidedByAll(asset.seen, asset.site);
    expect(asset.history).to.deep.equal(history);
    expect(history).to.have.lengthOf(6);
  });

  it('is loaded now and then where an antenna was cut off and sends its reads in order', async () => {
    const asset = new AssetInMemory([{ locationId: null, validFrom: 0, setting: STRENGTH }], true);
    const read = (location: number, second: number) => ({
      ...{ location, at: second * 1_000_000, rssi: -50 - location, isByPerson: false },
    });
    const seconds = Array.from({ length: 240 }, (_, index) => 100 + index / 2);
    for (const second of seconds) {
      await asset.record([read(1, second), read(2, second), read(1, second + 3_600)]);
    }
    const { loads } = asset;
    for (const second of seconds) {
      await asset.record([read(3, second)]);
      await asset.record([read(2, second + 3_720)]);
    }
    expect(asset.loads - loads).to.be.below(20);
  });
});
