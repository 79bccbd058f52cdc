import { expect } from 'chai';
import { readLiveTree } from '../../domain/moves/live-tree.ts';
import { sealBatch } from '../../domain/moves/sealing/seal-batch.ts';
import { useConsole } from '../support/console.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 4, 8) * 1_000;
const at = (seconds: number) => START + seconds * SECOND;
const timeAt = (seconds: number) => new Date(at(seconds) / 1_000).toISOString();

interface Tree {
  position: number;
  locations: [id: number, parentId: number | null, key: string, name: string, count: number][];
}

describe('where assets are, in the console', () => {
  const suite = useConsole();
  const { database } = suite;
  let site: Site;
  let token: string;
  let readerId: number;
  const place = { hall: 0, dock: 0, yard: 0 };
  const asset = { lift: 0, never: 0, gone: 0 };
  const get = (path: string) => suite.call({ path, token });
  const seal = () => sealBatch(database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  /** A reader has read a tag at a location. */
  const read = (value: string, locationId: number, seconds: number, rssi: number | null = null) =>
    record(database, [aRead({ orgId: site.orgId, readerId, value, locationId, at: at(seconds), rssi })]);
  /** As a console shows it that has not been asked before: a tree is shown for a second as it was read. */
  const counts = async () => {
    const url = await suite.start();
    const answer = await fetch(`${url}/console/v1/tree`, {
      headers: { Cookie: `tagtrail_session=${token}` },
    });
    const { data } = (await answer.json()) as { data: Tree };
    return {
      position: data.position,
      at: Object.fromEntries(data.locations.map(([, , key, , count]) => [key, count])),
    };
  };

  before(async () => {
    site = await Site.create(database);
    token = await suite.as('viewer', site.orgId);
    place.hall = await site.location('HALL');
    place.dock = await site.location('DOCK', place.hall);
    place.yard = await site.location('YARD');
    readerId = await site.reader('gate', [place.dock]);
    asset.lift = await site.asset('LIFT-1', 'E28011');
    asset.never = await site.asset('NEVER', 'E28099');
    asset.gone = await site.asset('GONE', 'E28033');
    await read('E28011', place.dock, 0, -60);
    await read('E28033', place.dock, 1);
    await read('E28011', place.yard, 60, -71);
    await read('E28011', place.dock, 120, -55);
    await database.rows('update assets set deleted_at = now() where id = $1', [asset.gone]);
    await seal();
  });

  it('counts live assets at every live location, as of a position of the feed', async () => {
    expect(await counts()).to.deep.equal({ position: 4, at: { HALL: 0, DOCK: 1, YARD: 0 } });
    const { body } = await get('/tree');
    expect(body.data.locations).to.deep.include([place.dock, place.hall, 'DOCK', 'DOCK', 1]);
  });

  it('refuses to make a text of more locations than it can show', async () => {
    // Three, each with 40 bytes beside its key and name.
    const bytes = 2 * ('HALL'.length + 'DOCK'.length + 'YARD'.length) + 3 * 40;
    expect((await readLiveTree(database.pool, site.orgId, bytes)).position).to.equal(4);
    const refused = await readLiveTree(database.pool, site.orgId, bytes - 1).catch((error) => error);
    expect(refused).to.include({ code: 'conflict' });
  });

  it('counts an asset where the feed has it, until the feed has its move', async () => {
    await read('E28011', place.yard, 180);
    const other = await Site.create(database, 'Other');
    expect(
      (await suite.call({ path: '/tree', token: await suite.as('viewer', other.orgId) })).body.data,
    ).to.deep.equal({ position: 0, locations: [] });
    expect((await counts()).at).to.deep.equal({ HALL: 0, DOCK: 1, YARD: 0 });
    await seal();
    expect(await counts()).to.deep.equal({ position: 5, at: { HALL: 0, DOCK: 0, YARD: 1 } });
  });

  it('lists the stays that overlap a range, with when each ended', async () => {
    const { body } = await get(`/assets/${asset.lift}/stays`);
    const stays = body.data.stays.map(
      (stay: { location: { external_key: string }; [name: string]: unknown }) => [
        stay.location.external_key,
        stay['arrived_at'],
        stay['left_at'],
      ],
    );
    const all = [
      ['DOCK', timeAt(0), timeAt(60)],
      ['YARD', timeAt(60), timeAt(120)],
      ['DOCK', timeAt(120), timeAt(180)],
      ['YARD', timeAt(180), null],
    ];
    expect(stays).to.deep.equal(all);
    expect(body.data).to.include({ first_seen: timeAt(0), last_seen: timeAt(180), is_cut: false });
    const range = await get(`/assets/${asset.lift}/stays?from=${timeAt(70)}&to=${timeAt(130)}`);
    expect(
      range.body.data.stays.map((stay: { arrived_at: string; left_at: string }) => [
        stay.arrived_at,
        stay.left_at,
      ]),
    ).to.deep.equal(all.slice(1, 3).map(([, from, to]) => [from, to]));
    expect((await get(`/assets/${asset.never}/stays`)).body.data).to.deep.equal({
      ...{ first_seen: null, last_seen: null, stays: [], is_cut: false },
    });
    expect((await get(`/assets/${asset.gone}/stays`)).status, 'of a retired one').to.equal(200);
  });

  it('says why: the deciding scan, the rule, what else was read, and what was said before', async () => {
    const { body } = await get(`/assets/${asset.lift}/why?at=${timeAt(150)}`);
    const { data } = body;
    expect(data.stay).to.deep.include({ from: timeAt(120), to: timeAt(180) });
    expect(data.stay.location.external_key).to.equal('DOCK');
    expect(data.rule).to.equal('every');
    expect(data.decided_by).to.deep.include({
      ...{ by: 'reader', device: { id: readerId, name: 'gate' }, antenna: 1, rssi: -55 },
      ...{ tag: { tag_type: 'rfid', value: 'E28011' }, observed_at: timeAt(120) },
    });
    expect(data.late_seconds).to.equal(0);
    expect(data.rivals).to.have.length(1);
    expect(data.rivals[0]).to.include({ lost_by_db: 16, at: timeAt(60), rssi: -71 });
    expect(data.reads.map((each: { at: string }) => each.at)).to.deep.equal([60, 120, 180].map(timeAt));
    expect((await get(`/assets/${asset.never}/why`)).body.data).to.include({ stay: null, first_seen: null });
    const early = await get(`/assets/${asset.lift}/why?at=${timeAt(-5)}`);
    expect(early.body.data).to.include({ stay: null, first_seen: timeAt(0) });
    expect((await get(`/assets/${asset.lift}/why?at=2200-01-01T00:00:00Z`)).status).to.equal(400);
  });

  it('finds an asset by a tag in another spelling, with its last places, and places beside', async () => {
    const { body } = await get('/find?q=e2-80-11');
    expect(body.data.assets).to.have.length(1);
    const [found] = body.data.assets;
    expect(found).to.deep.include({ id: asset.lift, since: timeAt(180), last_seen: timeAt(180) });
    expect(found.stays.map((stay: { location: { name: string } }) => stay.location.name)).to.deep.equal([
      'YARD',
      'DOCK',
      'YARD',
    ]);
    const places = (await get('/find?q=dock')).body.data;
    expect(places.locations).to.deep.equal([
      {
        ...{ id: place.dock, external_key: 'DOCK', name: 'DOCK', assets_here: 0 },
        parent: { id: place.hall, external_key: 'HALL', name: 'HALL' },
      },
    ]);
    expect((await get('/find?q=')).body.data).to.include({ asset_count: 0, location_count: 0 });
  });

  it('lists what is at a place, and what came and went', async () => {
    const present = (await get(`/locations/${place.yard}/present`)).body;
    expect(present).to.include({ total_count: 1 });
    expect(present.data[0]).to.deep.equal({
      ...{
        id: asset.lift,
        external_key: 'LIFT-1',
        name: 'LIFT-1',
        since: timeAt(180),
        last_seen: timeAt(180),
      },
    });
    const passing = (await get(`/locations/${place.dock}/arrivals`)).body.data;
    expect(
      passing.moves.map((move: { at: string; is_arrival: boolean; other: { name: string } | null }) => [
        move.at,
        move.is_arrival,
        move.other?.name ?? null,
      ]),
    ).to.deep.equal([
      [timeAt(180), false, 'YARD'],
      [timeAt(120), true, 'YARD'],
      [timeAt(60), false, 'YARD'],
      [timeAt(1), true, null],
      [timeAt(0), true, null],
    ]);
    expect((await get('/locations/999999/present')).status).to.equal(404);
  });
});
