import { expect } from 'chai';
import fc from 'fast-check';
import { sweep } from '../../../../db/timescale/schema/retention.ts';
import type { Transition } from '../../../../domain/tracking/history/history.ts';
import { loadScans } from '../../../../domain/tracking/location/load-stretches.ts';
import type { DatedSetting } from '../../../../domain/tracking/location/site.ts';
import type { Seen } from '../../../../domain/tracking/location/stated-locations.ts';
import {
  type Recomputing,
  recomputeOrganization,
} from '../../../../domain/tracking/recompute/recompute-organization.ts';
import { explain } from '../../../../domain/tracking/why/explain.ts';
import { useDatabase } from '../../../support/database.ts';
import { storeHistory } from '../../../support/earlier-history.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { aRead, decidingScan, record, storedHistory, storedPosition } from '../../../support/recording.ts';
import { historyByDefinition, START } from '../../../support/sightings.ts';
import { Site } from '../../../support/site.ts';
import { historyOfStatements, provingSettings } from '../../../support/statements.ts';
import { type RandomRead, someReads } from '../location/passing.ts';

const SETS = Math.max(40, randomSets(150));
const SECOND = 1_000_000;

describe('computing histories anew', () => {
  const database = useDatabase();
  let site: Site;
  let locations: number[];
  let readers: number[];
  let settings: DatedSetting[];

  beforeEach(async () => {
    site = await Site.create(database);
    locations = [];
    readers = [];
    for (const key of ['A', 'B', 'C']) {
      locations.push(await site.location(key));
      readers.push(await site.reader(`${site.orgId}-${key}`, [null]));
    }
  });

  const locationOf = (location: number) => locations[location - 1] ?? 0;

  async function useSettings(dated: readonly DatedSetting[]): Promise<void> {
    settings = dated.map((each) => ({
      ...each,
      locationId: each.locationId === null ? null : locationOf(each.locationId),
    }));
    await storeSettings(database, site.orgId, settings);
  }

  /** An asset whose raw scans are stored, with the history that an earlier version made of them. */
  async function assetOf(name: string, reads: readonly RandomRead[]) {
    const assetId = await site.asset(name, name);
    const distinct = [
      ...new Map(reads.map((read) => [`${read.location} ${read.at} ${read.isByPerson}`, read])).values(),
    ];
    const scans = distinct.map(({ location, at, rssi, isByPerson }) => {
      const locationId = locationOf(location);
      const read = aRead({
        orgId: site.orgId,
        readerId: readers[location - 1] ?? 0,
        value: name,
        locationId,
        at,
        rssi,
      });
      const source = {
        kind: 'handheld',
        handheldId: 1,
        submissionId: `${name} ${location} ${at}`,
        index: 0,
      } as const;
      return isByPerson ? { ...read, rssi: null, source } : read;
    });
    await record(database, scans);
    const seen = scans.map((scan, index): Seen => {
      const { location, at } = distinct[index] as RandomRead;
      return { observedAt: at, locationId: locationOf(location), rssi: scan.rssi, scan: decidingScan(scan) };
    });
    const right = await historyOfStatements(seen, settings);
    const wrong = historyByDefinition(seen);
    await storeHistory(database, { orgId: site.orgId, assetId }, wrong);
    return { assetId, right, isWrong: JSON.stringify(right) !== JSON.stringify(wrong), reads: distinct };
  }

  async function expectHistory(assetId: number, expected: readonly Transition[]): Promise<void> {
    expect(await storedHistory(database, assetId)).to.deep.equal(expected);
    const last = expected.at(-1);
    expect(await storedPosition(database, assetId)).to.deep.include({
      locationId: last?.locationId ?? null,
      since: last?.observedAt ?? null,
    });
  }

  const someAssets = (seed: number, count: number) => fc.sample(someReads, { numRuns: count, seed });
  const [SETTINGS = []] = fc.sample(provingSettings, { numRuns: 1, seed: 3 });

  it('makes of what was stored before a setting what the rule says (150 random sets at most)', async () => {
    await useSettings(SETTINGS);
    const assets = [];
    for (const [index, reads] of someAssets(5, SETS).entries()) {
      assets.push(await assetOf(`asset-${index}`, reads));
    }
    const wrong = assets.filter(({ isWrong }) => isWrong).length;
    expect(wrong).to.be.above(SETS / 10);
    const { isFinished, assets: looked, changed } = await recomputeOrganization(database.pool, site.orgId);
    expect({ isFinished, looked, changed }).to.deep.equal({ isFinished: true, looked: SETS, changed: wrong });
    for (const { assetId, right } of assets) {
      await expectHistory(assetId, right);
    }
    const again = await recomputeOrganization(database.pool, site.orgId);
    expect(again).to.deep.include({ changed: 0, written: 0, removed: 0 });
  });

  it("puts a person's scans before others of their instants wherever they are, from the first setting that asks for proof", async () => {
    await useSettings([{ locationId: 3, validFrom: START + SECOND, setting: STRENGTH }]);
    const ofPerson = (at: number): RandomRead[] => [
      { location: 1, at, rssi: -40, isByPerson: false },
      { location: 2, at, rssi: null, isByPerson: true },
    ];
    const reads = [START, START + SECOND].flatMap(ofPerson);
    const { assetId, right, isWrong } = await assetOf('asset', reads);
    expect(isWrong).to.equal(true);
    const [setting] = await database.rows<{ id: number }>(
      'select id from location_settings where org_id = $1',
      [site.orgId],
    );
    await recomputeOrganization(database.pool, site.orgId, { settingId: setting?.id ?? 0 });
    await expectHistory(assetId, right);
  });

  it('goes through an asset of many scans piece by piece', async () => {
    await useSettings([{ locationId: null, validFrom: START, setting: STRENGTH }]);
    const PASSING = [
      [0, 1, -40],
      [4.4, 1, -53],
      [5.8, 2, -46],
      [6.2, 2, -58],
      [7.3, 2, -46],
    ] as const;
    const assetId = await site.asset('often', 'often');
    // Each minute the other location is louder.
    const scans = Array.from({ length: 2_000 }, (_, turn) =>
      PASSING.map(([second, there, rssi]) => {
        const location = ((there + turn) % 2) + 1;
        const at = START + turn * 60 * SECOND + second * SECOND;
        return aRead({
          orgId: site.orgId,
          readerId: readers[location - 1] ?? 0,
          value: 'often',
          locationId: locationOf(location),
          at,
          rssi,
        });
      }),
    );
    await record(database, scans.flat());
    const right = await storedHistory(database, assetId);
    expect(right).to.have.length(2_000);
    const wrong = right.map((row, index) => ({
      ...row,
      observedAt: index % 2 === 0 ? row.observedAt : row.observedAt + 4_400_000,
    }));
    await storeHistory(database, { orgId: site.orgId, assetId }, wrong);
    await recomputeOrganization(database.pool, site.orgId);
    await expectHistory(assetId, right);
  });

  it('leaves alone what is older than the raw scans that are kept, and joins onto it (100 random cuts)', async () => {
    await useSettings(SETTINGS);
    const assets = [];
    for (const [index, reads] of someAssets(6, 100).entries()) {
      const later = reads.map((read) => ({ ...read, at: read.at + 700 * SECOND }));
      const asset = await assetOf(`cut-${index}`, [...reads, ...later]);
      await storeHistory(database, { orgId: site.orgId, assetId: asset.assetId }, asset.right);
      // An asset whose first scans state nothing does not show that they were dropped.
      const [first] = asset.right;
      const cut =
        first === undefined
          ? START
          : Math.max(first.observedAt + 1, reads[(index * 7) % reads.length]?.at ?? START);
      await database.rows(
        'delete from scan_events where asset_id = $1 and observed_at < time_of_micros($2)',
        [asset.assetId, cut],
      );
      assets.push(asset);
    }
    expect(await recomputeOrganization(database.pool, site.orgId)).to.deep.include({ changed: 0 });
    for (const { assetId, right } of assets) {
      await expectHistory(assetId, right);
    }
  });

  it('leaves alone what is within 30 s of dropped scans that stated nothing', async () => {
    await useSettings([{ locationId: null, validFrom: 0, setting: STRENGTH }]);
    const now = Date.now() * 1_000;
    // Retention, an hour for surroundings, and time for this test.
    const since = now - 30 * 86_400 * SECOND - 3_600 * SECOND + 20 * SECOND;
    const { orgId } = site;
    const scansOf = (value: string, from: number, reads: readonly (readonly [number, number, number])[]) =>
      reads.map(([second, location, rssi]) =>
        aRead({
          ...{ orgId, readerId: readers[location - 1] ?? 0, value, locationId: locationOf(location) },
          ...{ at: from + second * SECOND, rssi },
        }),
      );
    // In doubt until the third read. Without the first, which is dropped, it would be at C since the second.
    const doubtful = [
      [-2, 1, -60],
      [3, 3, -60],
      [36, 3, -60],
      [100, 1, -60],
    ] as const;
    const ids: number[] = [];
    for (const name of ['edge', 'young', 'louder']) {
      ids.push(await site.asset(name, name));
    }
    const [edge = 0, young = 0, louder = 0] = ids;
    await record(database, [
      ...scansOf('edge', since, doubtful),
      ...scansOf('young', since + 60 * SECOND, doubtful.slice(1)),
      ...scansOf('louder', since, [
        [-2, 1, -60],
        [10, 3, -40],
      ]),
    ]);
    const right = await storedHistory(database, edge);
    expect(right.map(({ observedAt }) => (observedAt - since) / SECOND)).to.deep.equal([36, 100]);
    await sweep(database.pool, 30);
    await database.rows('delete from scan_events where org_id = $1 and observed_at < time_of_micros($2)', [
      ...[orgId, since],
    ]);
    // What it was louder than is dropped.
    const why = await explain(database.pool, { orgId, assetId: louder }, since + 10 * SECOND);
    expect(why).to.include({ rule: 'strength', evidence: null });
    const wrong = { observedAt: since + 65 * SECOND, locationId: locationOf(3), durationSeconds: null };
    await storeHistory(database, { orgId, assetId: young }, [wrong]);
    expect(await recomputeOrganization(database.pool, orgId)).to.include({ assets: 3, changed: 1 });
    await expectHistory(edge, right);
    const [first] = await storedHistory(database, young);
    expect(first).to.include({ observedAt: since + 63 * SECOND });
  });

  it('leaves alone what lies before a transition whose scan is gone, though older ones are kept', async () => {
    await useSettings([]);
    const walk = [1, 2, 1, 2, 1].map((location, index) => {
      return { location, at: START + index * 1_000 * SECOND, rssi: null, isByPerson: false };
    });
    const { assetId, right } = await assetOf('gap', walk);
    await storeHistory(database, { orgId: site.orgId, assetId }, right);
    await database.rows('delete from scan_events where asset_id = $1 and observed_at = time_of_micros($2)', [
      assetId,
      START + 1_000 * SECOND,
    ]);
    expect(await recomputeOrganization(database.pool, site.orgId)).to.deep.include({ changed: 0 });
    await expectHistory(assetId, right);
  });

  for (const [what, rest] of [
    ['the only row', 1],
    ['a row before others', 4],
  ] as const) {
    it(`mends a first row that is later than the oldest scan, which no scan made: ${what}`, async () => {
      await useSettings([]);
      const walk = [1, 1, 2, 1, 2].slice(0, rest + 1).map((location, index) => {
        return { location, at: START + index * 1_000 * SECOND, rssi: null, isByPerson: false };
      });
      const { assetId, right } = await assetOf('late', walk);
      const [, ...others] = right;
      const late = { observedAt: START + 500 * SECOND, locationId: locationOf(1), durationSeconds: null };
      await storeHistory(database, { orgId: site.orgId, assetId }, [late, ...others]);
      expect(await recomputeOrganization(database.pool, site.orgId)).to.deep.include({ changed: 1 });
      await expectHistory(assetId, right);
      expect(await recomputeOrganization(database.pool, site.orgId)).to.deep.include({ changed: 0 });
    });
  }

  it('is correct while recorders write the same assets', async () => {
    await useSettings(SETTINGS);
    const sets = someAssets(8, 40);
    const assets = [];
    for (const [index, reads] of sets.entries()) {
      assets.push(await assetOf(`busy-${index}`, reads.slice(0, Math.ceil(reads.length / 2))));
    }
    const rest = async () => {
      for (const [index, reads] of sets.entries()) {
        for (const { location, at, rssi } of reads
          .slice(Math.ceil(reads.length / 2))
          .filter((read) => !read.isByPerson)) {
          const locationId = locationOf(location);
          await record(database, [
            aRead({
              orgId: site.orgId,
              readerId: readers[location - 1] ?? 0,
              value: `busy-${index}`,
              locationId,
              at,
              rssi,
            }),
          ]);
        }
      }
    };
    await Promise.all([rest(), recomputeOrganization(database.pool, site.orgId)]);
    await recomputeOrganization(database.pool, site.orgId);
    for (const { assetId } of assets) {
      const [seen = []] = await loadScans(database.pool, [
        { orgId: site.orgId, assetId, from: 0, to: 2 * START },
      ]);
      await expectHistory(assetId, await historyOfStatements(seen, settings));
    }
  });

  it('counts what it would change, and changes nothing, when it is dry', async () => {
    await useSettings(SETTINGS);
    const assets = [];
    for (const [index, reads] of someAssets(5, 30).entries()) {
      assets.push(await assetOf(`dry-${index}`, reads));
    }
    const before = await database.rows('select * from location_transitions order by asset_id, observed_at');
    const { changed } = await recomputeOrganization(database.pool, site.orgId, { isDry: true });
    expect(changed).to.equal(assets.filter(({ isWrong }) => isWrong).length);
    expect(
      await database.rows('select * from location_transitions order by asset_id, observed_at'),
    ).to.deep.equal(before);
    expect(
      await database.rows('select from history_recomputations where org_id = $1', [site.orgId]),
    ).to.have.length(0);
  });

  it('goes on, after it was broken off, where it was', async () => {
    await useSettings(SETTINGS);
    for (const [index, reads] of someAssets(5, 12).entries()) {
      await assetOf(`resumed-${index}`, reads);
    }
    const controller = new AbortController();
    const onProgress = ({ assets }: { assets: number }) => {
      if (assets === 5) {
        controller.abort();
      }
    };
    const recompute = (options: Recomputing = {}) =>
      recomputeOrganization(database.pool, site.orgId, options);
    const first = await recompute({ signal: controller.signal, onProgress });
    expect(first).to.deep.include({ assets: 5, isFinished: false });
    expect(await recompute()).to.deep.include({ assets: 12, isFinished: true });
  });

  it('counts no more as changed than it recomputed, where two processes do', async () => {
    await useSettings(SETTINGS);
    let wrong = 0;
    for (const [index, reads] of someAssets(5, 12).entries()) {
      wrong += Number((await assetOf(`shared-${index}`, reads)).isWrong);
    }
    const recompute = () => recomputeOrganization(database.pool, site.orgId);
    await Promise.all([recompute(), recompute()]);
    const [counted] = await database.rows<{ assets: number; changed: number }>(
      'select assets, changed from history_recomputations where org_id = $1',
      [site.orgId],
    );
    expect(counted?.assets).to.equal(12);
    expect(counted?.changed).to.be.within(wrong, 12);
  });
});
