import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { setLocating } from '../../../../domain/administration/locating/set-locating.ts';
import { RecentHearings } from '../../../../domain/tracking/location/recent-hearings.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { aMemory, aRead, record } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';
import { costOfRecording } from '../cost.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('the cost of recording where strength decides', () => {
  const database = useDatabase();
  const locations: number[] = [];
  let site: Site;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    locations.push(await site.location('A'), await site.location('B'));
    await storeSettings(database, site.orgId, [
      { locationId: null, validFrom: START - 3_600 * SECOND, setting: STRENGTH },
    ]);
  });

  const scanOf = (value: string, second: number, location: number) =>
    aRead({
      orgId: site.orgId,
      readerId: 1,
      value,
      locationId: locations[location % 2] ?? 0,
      at: START + second * SECOND,
    });

  /** An asset that was read once a second, at A for ten seconds, then at B, and so on. */
  async function assetReadFor(seconds: number): Promise<string> {
    const value = `crate-${++assets}`;
    await site.asset(value, value);
    const reads = Array.from({ length: seconds }, (_, second) =>
      scanOf(value, second, Math.floor(second / 10)),
    );
    for (let start = 0; start < seconds; start += 500) {
      await record(database, reads.slice(start, start + 500));
    }
    return value;
  }

  const arrivals: [string, (seconds: number) => { second: number; location: number }][] = [
    ['the newest scan', (seconds) => ({ second: seconds, location: 0 })],
    ['the newest scan where an asset has just come', (seconds) => ({ second: seconds - 0.5, location: 1 })],
    ['a late scan', (seconds) => ({ second: seconds / 2 + 0.5, location: 0 })],
    ['a late scan at another location', (seconds) => ({ second: seconds / 2 + 4.5, location: 1 })],
    ['a scan earlier than all others', () => ({ second: -1, location: 1 })],
  ];
  for (const [what, at] of arrivals) {
    it(`goes by what lies around it and not by what is stored, for ${what}`, async () => {
      const costs = [];
      for (const seconds of [400, 2_000]) {
        const value = await assetReadFor(seconds);
        const { second, location } = at(seconds);
        costs.push(await costOfRecording(database, [scanOf(value, second, location)]));
      }
      const [few, many] = costs;
      expect(many?.statements).to.equal(few?.statements);
      // Of a long history the mark after the row is adjusted, too.
      expect(many?.rows).to.be.within((few?.rows ?? 0) - 1, (few?.rows ?? 0) + 1);
      expect(few?.rows).to.be.within(1, 600);
    });
  }

  it('is as before after a setting for later scans, and after a new location, but not after one has moved', async () => {
    const memory = aMemory();
    const value = `crate-${++assets}`;
    await site.asset(value, value);
    await record(
      database,
      Array.from({ length: 200 }, (_, read) => scanOf(value, read / 10, 0)),
      undefined,
      memory,
    );
    let second = 20;
    const rowsOfNext = async () =>
      (await costOfRecording(database, [scanOf(value, second++, 0)], memory)).rows;
    const before = await rowsOfNext();
    await setLocating(
      databaseOn(database.pool),
      TEST_ACTOR,
      {
        ...{ orgId: site.orgId, locationExternalKey: 'A', from: null },
        ...{ procedure: 'strength', certainty: 2, tagDbm: null },
      },
      { retention: 0 },
    );
    const hall = await site.location('HALL');
    // Settings are read again.
    expect(await rowsOfNext()).to.be.below(before + 10);
    await database.rows('update locations set parent_id = $1 where id = $2', [hall, locations[1]]);
    expect(await rowsOfNext()).to.be.above(before + 100);
  });

  it('is that of remembered reads of most assets where more are read late in turn than fit, and of all others', async () => {
    // Of some eight assets.
    const memory = { ...aMemory(), recent: new RecentHearings(150_000) };
    const other = await Site.create(database, 'Other');
    const there = await other.location('A');
    await storeSettings(database, other.orgId, [
      { locationId: null, validFrom: START - 3_600 * SECOND, setting: STRENGTH },
    ]);
    await other.asset('pallet', 'pallet');
    const pallet = (read: number) =>
      aRead({
        ...{ orgId: other.orgId, readerId: 2, value: 'pallet', locationId: there },
        at: START + (read * SECOND) / 10,
      });
    await record(
      database,
      Array.from({ length: 200 }, (_, read) => pallet(read)),
      undefined,
      memory,
    );
    const values = [];
    for (let asset = 0; asset < 12; asset++) {
      values.push(await assetReadFor(200));
    }
    const loads = [0, 0, 0, 0];
    for (let round = 0; round < loads.length; round++) {
      for (const value of values) {
        const { rows } = await costOfRecording(database, [scanOf(value, 100.1 + round / 10, 0)], memory);
        loads[round] = (loads[round] ?? 0) + (rows > 40 ? 1 : 0);
      }
    }
    expect(loads[0]).to.equal(12);
    expect(Math.max(...loads.slice(1))).to.be.below(9);
    expect((await costOfRecording(database, [pallet(200)], memory)).rows).to.be.below(30);
  });

  it('grows with the reads of a batch, not with their square, where one asset was read now and then', async () => {
    const rowsOf = async (count: number) => {
      const value = `now-and-then-${count}`;
      await site.asset(value, value);
      const reads = Array.from({ length: count }, (_, read) => scanOf(value, read * 60, read));
      return (await costOfRecording(database, reads)).rows;
    };
    const [few, many] = [await rowsOf(50), await rowsOf(400)];
    expect(many).to.be.below(9 * few);
  });

  it('is that of ten seconds around the first late scan of an asset that is read often, and less for the next', async () => {
    const value = `crate-${++assets}`;
    await site.asset(value, value);
    // The first is the loudest.
    const readAt = (second: number, antenna: number): Scan => {
      const scan = scanOf(value, second, antenna);
      return scan.source.kind === 'handheld'
        ? scan
        : { ...scan, rssi: -45 - 10 * antenna, source: { ...scan.source, antenna } };
    };
    const seconds = (from: number, to: number, antenna: number) =>
      Array.from({ length: 20 * (to - from) }, (_, read) => readAt(from + read / 20, antenna));
    await record(database, [...seconds(0, 150, 1), ...seconds(0, 150, 2)]);
    const memory = aMemory();
    // Of 4,740 in a minute to either side.
    const first = await costOfRecording(database, seconds(60, 61, 3), memory);
    expect(first.rows).to.be.below(1_400);
    const second = await costOfRecording(database, seconds(61, 62, 3), memory);
    expect(second.rows).to.be.below(800);
    const third = await costOfRecording(database, seconds(62, 63, 3), memory);
    expect(third.rows).to.be.below(60);
  });

  it('is that of a few rows where an asset stands still and was not read for long', async () => {
    const value = await assetReadFor(5);
    expect((await costOfRecording(database, [scanOf(value, 601, 0)])).rows).to.be.below(20);
  });
});
