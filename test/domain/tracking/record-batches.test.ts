import { expect } from 'chai';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import type { OutcomeStatus, Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('a batch of scans', () => {
  const database = useDatabase();
  let site: Site;
  let hall: number;
  let readerId: number;
  let count = 0;

  before(async () => {
    site = await Site.create(database);
    hall = await site.location('hall');
    readerId = await site.reader('dock', [hall]);
  });

  const read = (value: string, at: number, locationId: number | null = hall): Scan =>
    aRead({ orgId: site.orgId, readerId, value, locationId, at, receivedAt: START + 60_000_000 });

  const statuses = async (scans: readonly Scan[]) =>
    (await record(database, scans)).map(({ status }) => status);

  it('may be empty', async () => {
    expect(await record(database, [], START)).to.deep.equal([]);
  });

  it('has one outcome for each scan, in their order, and what they count up to is stored', async () => {
    const known = await site.asset('known', 'E2AA');
    await site.asset('one', 'e2bb');
    await site.asset('other', 'E2BB');
    const kinds: [OutcomeStatus, Scan][] = [
      ['recorded', read('E2AA', START)],
      ['unknown', read('stranger', START)],
      ['duplicate', read('E2AA', START)],
      ['ambiguous', read('E2-BB', START)],
      ['unplaced', read('E2AA', second(1), null)],
      ['recorded', read('e2bb', second(1))],
      ['rejected', read('E2AA', START - 31 * MICROS_PER_DAY)],
      ['recorded', read('E2AA', second(2))],
      ['duplicate', read('e2-aa', second(2))],
    ];
    const outcomes = await record(
      database,
      kinds.map(([, scan]) => scan),
    );
    expect(outcomes.map(({ status }) => status)).to.deep.equal(kinds.map(([status]) => status));
    expect(outcomes[0]).to.deep.equal({
      status: 'recorded',
      assetId: known,
      observedAt: START,
      timeIsReceived: false,
      move: { from: null },
    });
    expect(outcomes[2]).to.deep.equal({ status: 'duplicate', assetId: known, observedAt: START });
    const stored = await database.rows('select from scan_events where org_id = $1', [site.orgId]);
    expect(stored).to.have.length(3);
  });

  it('has the same outcomes in reverse, when it is reversed', async () => {
    const scans = [read('a', START), read('b', START), read('c', START, null), read('a', second(1))];
    await site.asset('a', 'a');
    await site.asset('c', 'c');
    expect(await statuses(scans.toReversed())).to.deep.equal(['recorded', 'unplaced', 'unknown', 'recorded']);
    expect(await statuses(scans)).to.deep.equal(['duplicate', 'unknown', 'unplaced', 'duplicate']);
  });

  const bad: [string, OutcomeStatus[], (scan: Scan) => Scan][] = [
    ['too late', ['rejected'], (scan) => ({ ...scan, deviceTime: START - 31 * MICROS_PER_DAY })],
    ['of an unknown tag', ['unknown'], (scan) => ({ ...scan, value: 'nobody' })],
    ['at no location', ['unplaced'], (scan) => ({ ...scan, locationId: null })],
    ['at a location that does not exist', ['unplaced'], (scan) => ({ ...scan, locationId: 2_147_483_647 })],
  ];
  for (const [what, expected, spoil] of bad) {
    it(`loses nothing for the sake of a scan ${what}`, async () => {
      const value = `crate-${++count}`;
      const assetId = await site.asset(value, value);
      const good = [read(value, START), read(value, second(1)), read(value, second(2))];
      const [first, middle, last] = good;
      const spoiled = good.map(spoil);
      expect(await statuses([first, spoiled[1], last].flatMap((scan) => scan ?? []))).to.deep.equal([
        'recorded',
        ...expected,
        'recorded',
      ]);
      expect(await statuses([middle, spoiled[0]].flatMap((scan) => scan ?? []))).to.deep.equal([
        'recorded',
        ...expected,
      ]);
      expect(await storedPosition(database, assetId)).to.include({ since: START, lastSeen: second(2) });
    });
  }

  it('may be of several organizations, each with its own tags and locations', async () => {
    const sites = [site, await Site.create(database, 'Globex'), await Site.create(database, 'Initech')];
    const scans: Scan[] = [];
    const expected: { assetId: number; locations: number[] }[] = [];
    for (const [index, each] of sites.entries()) {
      const locations = [await each.location('in'), await each.location('out')];
      const reader = await each.reader(`several-${index}`, locations);
      expected.push({ assetId: await each.asset('van', 'E2FF'), locations });
      for (const [step, locationId] of locations.entries()) {
        scans.push(
          aRead({ orgId: each.orgId, readerId: reader, value: 'E2FF', locationId, at: second(step) }),
        );
      }
    }
    const mixed = scans.toSorted((a, b) => a.receivedAt - b.receivedAt);
    expect(await statuses(mixed)).to.deep.equal(mixed.map(() => 'recorded'));
    expect(await statuses(mixed)).to.deep.equal(mixed.map(() => 'duplicate'));
    for (const { assetId, locations } of expected) {
      const stored = await storedHistory(database, assetId);
      expect(stored.map(({ locationId }) => locationId)).to.deep.equal(locations);
    }
  });

  it('may hold thousands of scans of hundreds of assets', async () => {
    const yard = await site.location('yard');
    const name = (asset: number) => `many-${asset}`;
    await database.rows(
      `with made as (
         insert into assets (org_id, external_key, name)
         select $1, 'many-' || number, 'many-' || number from generate_series(0, 299) as number
         returning id, external_key
       )
       insert into tags (org_id, tag_type, value, tag_key, asset_id)
       select $1, 'rfid', external_key, external_key, id from made`,
      [site.orgId],
    );
    const scans = Array.from({ length: 6_000 }, (_, index) =>
      read(name(index % 300), START + index * 1_000, index % 600 < 300 ? hall : yard),
    );
    expect(new Set(await statuses(scans))).to.deep.equal(new Set(['recorded']));
    const [stored] = await database.rows(
      `select count(*), count(distinct asset_id) as assets from location_transitions
       where org_id = $1 and asset_id in (select id from assets where external_key like 'many-%')`,
      [site.orgId],
    );
    expect(stored).to.deep.equal({ count: 6_000, assets: 300 });
  });

  it('of thousands ends as its scans do one hundred at a time, also where tags have moved from asset to asset', async () => {
    const [large, small] = [await Site.create(database, 'Large'), await Site.create(database, 'Small')];
    const ended = [];
    for (const each of [large, small]) {
      const locations = [await each.location('here'), await each.location('there')];
      const reader = await each.reader(`thousands-${each.orgId}`, locations);
      const assetIds: number[] = [];
      for (let asset = 0; asset < 700; asset++) {
        assetIds.push(await each.asset(`each-${asset}`, `each-${asset}`));
      }
      const scanOf = (asset: number, step: number, rssi: number) =>
        aRead({
          ...{ orgId: each.orgId, readerId: reader, value: `each-${asset}`, rssi },
          ...{ at: second(step), locationId: locations[(asset + step) % 2] ?? 0 },
        });
      const all = Array.from({ length: 2_800 }, (_, at) => scanOf(at % 700, 10 + Math.floor(at / 700), -60));
      await record(
        database,
        [0, 350, 699].map((asset) => scanOf(asset, 10, -70)),
      );
      // The first, a middle and the last asset swap tags: stronger copies are of assets of other pieces.
      for (const [from, to] of [
        [0, 699],
        [350, 0],
        [699, 350],
      ] as const) {
        const [old, value] = [assetIds[from], `each-${from}`];
        await database.rows('update tags set detached_at = now() where asset_id = $1 and value = $2', [
          old,
          value,
        ]);
        await each.tag({ assetId: assetIds[to] ?? 0 }, value);
      }
      const outcomes = [];
      for (let at = 0, size = each === large ? all.length : 100; at < all.length; at += size) {
        outcomes.push(...(await record(database, all.slice(at, at + size))));
      }
      ended.push({
        statuses: outcomes.map(({ status }) => status),
        moved: outcomes.filter((outcome) => 'move' in outcome && outcome.move !== null).length,
        histories: await Promise.all(
          assetIds.map(async (id) =>
            (await storedHistory(database, id)).map(({ locationId, ...stay }) => ({
              ...stay,
              place: locations.indexOf(locationId),
            })),
          ),
        ),
      });
    }
    expect(ended[0]).to.deep.equal(ended[1]);
  });

  it('leaves the rows of its assets untouched', async () => {
    const value = `crate-${++count}`;
    const assetId = await site.asset(value, value);
    const row = () =>
      database.rows('select xmin::text, updated_at, to_json(assets) from assets where id = $1', [assetId]);
    const before = await row();
    await record(database, [read(value, START), read(value, second(2))]);
    await record(database, [read(value, second(1)), read(value, START)]);
    expect(await row()).to.deep.equal(before);
  });
});
