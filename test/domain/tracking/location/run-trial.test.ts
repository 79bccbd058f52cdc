import { expect } from 'chai';
import { runTrial, type TrialBounds } from '../../../../domain/tracking/location/run-trial.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { START } from '../../../support/sightings.ts';
import { Site } from '../../../support/site.ts';

const SECOND = 1_000_000;
const BOUNDS: TrialBounds = { scans: 1_000, assets: 100, moves: 100, pairs: 10, worst: 2 };
const NEVER = { isTimeUp: () => false, onProgress: () => {} };

describe('a trial of a location setting', () => {
  const database = useDatabase();
  let site: Site;
  const place = { a: 0, b: 0, c: 0 };
  const asset = { bouncer: 0, mover: 0, sitter: 0, away: 0 };
  const at = (second: number) => START + second * SECOND;

  before(async () => {
    site = await Site.create(database);
    place.a = await site.location('A');
    place.b = await site.location('B');
    place.c = await site.location('C');
    const readerId = await site.reader('gate', [null]);
    const read = (value: string, line: string) =>
      record(
        database,
        line.split(' ').map((word) => {
          const locationId = place[word.slice(-1).toLowerCase() as keyof typeof place];
          return aRead({ orgId: site.orgId, readerId, value, locationId, at: at(Number.parseInt(word, 10)) });
        }),
      );
    asset.bouncer = await site.asset('BOUNCER', 'BOUNCER');
    asset.mover = await site.asset('MOVER', 'MOVER');
    asset.sitter = await site.asset('SITTER', 'SITTER');
    asset.away = await site.asset('AWAY', 'AWAY');
    await read('BOUNCER', '-90A 0A 3A 6B 9A 12B 15A');
    await read('MOVER', '-90A 0A 3A 6B 7A 8B 60B 90B');
    await read('SITTER', '1A 60A');
    await read('AWAY', '0C 9000A');
  });

  const attempt = async (
    {
      from = 0,
      to = 100,
      locationId = null,
      assetId = null,
      ...bounds
    }: Partial<TrialBounds> & {
      from?: number;
      to?: number;
      locationId?: number | null;
      assetId?: number | null;
    } = {},
    more: Partial<typeof NEVER> = {},
  ) => {
    const client = await database.pool.connect();
    try {
      const deciding = { procedure: 'strength' as const, certainty: 1, tagDbm: null };
      const period = { from: at(from), to: at(to) };
      return await runTrial(
        client,
        { orgId: site.orgId, locationId, deciding, period, assetId },
        { ...BOUNDS, ...bounds },
        { ...NEVER, ...more },
      );
    } finally {
      client.release();
    }
  };

  it('sums up moves, pairs, and the stays of the worst assets before and after', async () => {
    const { covered, cutBy, totals, returns, pairs, moves, movesLeftOut, worst } = await attempt();
    expect({ covered, cutBy, totals, returns, movesLeftOut }).to.deep.equal({
      covered: { from: at(0), to: at(100), scans: 16, assets: 4, of: 4, mostScans: 1_000 },
      cutBy: null,
      totals: { kept: 0, redated: 1, removed: 6, added: 0 },
      returns: { present: 5, proposed: 0 },
      movesLeftOut: 0,
    });
    expect(moves).to.have.length(8);
    expect(pairs).to.deep.equal([
      { fromLocationId: place.a, toLocationId: place.b, kept: 0, redated: 1, removed: 3, added: 0 },
      { fromLocationId: place.b, toLocationId: place.a, kept: 0, redated: 0, removed: 3, added: 0 },
    ]);
    const stays = (list: readonly { since: number; locationId: number }[]) =>
      list.map(({ since, locationId }) => [(since - START) / SECOND, locationId]);
    expect(
      worst.map(({ assetId, counts, present, proposed }) => ({
        ...{ assetId, counts, present: stays(present), proposed: stays(proposed) },
      })),
    ).to.deep.equal([
      {
        assetId: asset.bouncer,
        counts: { present: 4, proposed: 0, removed: 4, added: 0 },
        present: [
          [-90, place.a],
          [6, place.b],
          [9, place.a],
          [12, place.b],
          [15, place.a],
        ],
        proposed: [[-90, place.a]],
      },
      {
        assetId: asset.mover,
        counts: { present: 3, proposed: 1, removed: 3, added: 1 },
        present: [
          [-90, place.a],
          [6, place.b],
          [7, place.a],
          [8, place.b],
        ],
        proposed: [
          [-90, place.a],
          [60, place.b],
        ],
      },
    ]);
  });

  it('ends before the first scan beyond its number, and says until when it looked', async () => {
    // In order of time: seven scans up to 3 s, then three at 6 and 7 s.
    const { covered, cutBy, totals } = await attempt({ scans: 8 });
    expect(cutBy).to.equal('scans');
    expect(covered.to).to.equal(at(7) - SECOND * 0 - 1);
    expect(totals).to.include({ kept: 0, removed: 2 });
  });

  it('ends after so many assets, or when its time is up, with all of each', async () => {
    const few = await attempt({ assets: 1 });
    expect([few.cutBy, few.covered.assets, few.covered.of]).to.deep.equal(['assets', 1, 4]);
    expect(few.totals.removed).to.equal(4);
    let asked = 0;
    const late = await attempt({}, { isTimeUp: () => ++asked === 2 });
    expect([late.cutBy, late.covered.assets]).to.deep.equal(['time', 2]);
    expect(late.totals.removed).to.equal(6);
  });

  it('reads no scan of an asset that was not seen in the period', async () => {
    const { covered, totals, worst } = await attempt({ from: 200, to: 8_000 });
    expect(covered).to.include({ scans: 0, assets: 1, of: 1 });
    expect(totals).to.deep.equal({ kept: 0, redated: 0, removed: 0, added: 0 });
    expect(worst).to.deep.equal([]);
  });

  it('counts the moves of an asset that are too many to be told, and says until when they are', async () => {
    const value = 'RESTLESS';
    const assetId = await site.asset(value, value);
    const readerId = await site.reader('restless', [null]);
    await record(database, [
      aRead({ orgId: site.orgId, readerId, value, locationId: place.a, at: at(19_900) }),
    ]);
    for (let start = 0; start < 2_000; start += 1_000) {
      await record(
        database,
        Array.from({ length: 1_000 }, (_, index) => {
          const locationId = index % 2 === 0 ? place.a : place.b;
          return aRead({ orgId: site.orgId, readerId, value, locationId, at: at(20_000 + start + index) });
        }),
      );
    }
    const { worst, totals } = await attempt({ from: 20_000, to: 23_000, scans: 3_000 });
    expect(worst.map(({ assetId: id }) => id)).to.deep.equal([assetId]);
    expect(totals).to.include({ kept: 0, removed: 1_999 });
    expect(worst[0]?.toldUntil).to.equal(at(21_000));
    expect([worst[0]?.present.length, worst[0]?.proposed.length]).to.deep.equal([1_001, 1]);
  });

  it('lists no more than it may, and counts the rest', async () => {
    const { moves, movesLeftOut, pairs, others } = await attempt({ moves: 2, pairs: 1 });
    expect([moves.length, movesLeftOut, pairs.length, others.removed]).to.deep.equal([2, 6, 1, 3]);
  });

  it('is bounded by the scans of what is tried', async () => {
    const one = await attempt({ scans: 8, assetId: asset.mover });
    expect([one.cutBy, one.covered.to, one.covered.of]).to.deep.equal([null, at(100), 1]);
    expect((await attempt({ scans: 6, assetId: asset.mover })).cutBy).to.equal('scans');
    expect((await attempt({ scans: 8 })).cutBy).to.equal('scans');
    const there = await attempt({ scans: 7, locationId: place.b });
    expect([there.cutBy, there.covered.to]).to.deep.equal([null, at(100)]);
    const { cutBy, covered } = await attempt({ scans: 5, locationId: place.b });
    expect([cutBy, covered.to]).to.deep.equal(['scans', at(90) - 1]);
    // So many scans elsewhere are looked through.
    expect((await attempt({ scans: 2, locationId: place.c })).cutBy).to.equal('scans');
  });

  it('of a location counts moves to and from there, and others that it changes', async () => {
    const rover = await site.asset('ROVER', 'ROVER');
    const readerId = await site.reader('yard', [null]);
    const [yard, shed, dock] = [
      await site.location('YARD'),
      await site.location('SHED'),
      await site.location('DOCK'),
    ];
    const inYard = await site.location('CORNER', yard);
    const read = (second: number, locationId: number) =>
      aRead({ orgId: site.orgId, readerId, value: 'ROVER', locationId, at: at(second) });
    await record(database, [
      ...[read(500_000, shed), read(500_100, dock), read(500_200, inYard), read(500_300, shed)],
      // At the yard for a moment, between reads elsewhere.
      ...[read(500_400, dock), read(500_401, dock), read(500_402, inYard), read(500_403, shed)],
    ]);
    const range = { from: 499_900, to: 500_500 };
    const all = await attempt(range);
    const ofYard = await attempt({ ...range, locationId: yard });
    expect(all.totals).to.deep.equal({ kept: 3, redated: 0, removed: 3, added: 0 });
    expect(ofYard.totals).to.deep.equal({ kept: 2, redated: 0, removed: 2, added: 1 });
    expect(ofYard.worst).to.have.length(1);
    expect(ofYard.worst[0]?.assetId).to.equal(rover);
    expect(ofYard.worst[0]?.present).to.have.length(7);
    expect(ofYard.covered.scans).to.equal(8);
    expect((await attempt({ ...range, locationId: place.a })).covered.scans).to.equal(0);
  });
});
