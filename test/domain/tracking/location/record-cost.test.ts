import { expect } from 'chai';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';
import { storeSettings } from '../../../support/stored-smoothing.ts';
import { costOfRecording } from '../cost.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('the cost of recording what is smoothed', () => {
  const database = useDatabase();
  const locations: number[] = [];
  let site: Site;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    locations.push(await site.location('A'), await site.location('B'));
    const smoothing = { window: 10 * SECOND, minimum: 5 * SECOND, margin: null };
    await storeSettings(database, site.orgId, [{ locationId: null, validFrom: START, smoothing }]);
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
    it(`goes by the window and not by what is stored, for ${what}`, async () => {
      const costs = [];
      for (const seconds of [80, 2_000]) {
        const value = await assetReadFor(seconds);
        const { second, location } = at(seconds);
        costs.push(await costOfRecording(database, [scanOf(value, second, location)]));
      }
      const [few, many] = costs;
      expect(many?.statements).to.equal(few?.statements);
      // Of a long history the mark after the row is adjusted, too.
      expect(many?.rows).to.be.within(few?.rows ?? 0, (few?.rows ?? 0) + 1);
      expect(few?.rows).to.be.within(1, 80);
    });
  }

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

  it('does not go by how often an asset is read where it has just come', async () => {
    const costs = [];
    for (const readsPerSecond of [1, 40]) {
      const value = `dense-${readsPerSecond}`;
      await site.asset(value, value);
      const reads = Array.from({ length: 17 * readsPerSecond }, (_, read) => {
        const second = read / readsPerSecond;
        return scanOf(value, second, second < 10 ? 0 : 1);
      });
      await record(database, reads);
      costs.push(await costOfRecording(database, [scanOf(value, 17.5, 1)]));
    }
    expect(costs[1]).to.deep.equal(costs[0]);
  });

  it('is no more than without smoothing where an asset stands still', async () => {
    const smoothed = await assetReadFor(5);
    const other = await Site.create(database, 'Other');
    const elsewhere = await other.location('A');
    await other.asset('still', 'still');
    const plain = (second: number) => ({
      ...scanOf('still', second, 0),
      orgId: other.orgId,
      locationId: elsewhere,
    });
    await record(database, [plain(0)]);
    expect(await costOfRecording(database, [scanOf(smoothed, 601, 0)])).to.deep.equal(
      await costOfRecording(database, [plain(601)]),
    );
  });
});
