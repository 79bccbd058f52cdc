import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { STATES } from '../../domain/presence/coverage/limits.ts';
import { countStates } from '../../domain/reports/presence/count-states.ts';
import { useConsole } from '../support/console.ts';
import { at, PresenceSite } from '../support/presence-site.ts';
import { Site } from '../support/site.ts';

const [HALL, GATE] = [0, 1];
const [CRATE, CART, LOST] = [0, 1, 2];

const iso = (second: number) => new Date(at(second) / 1_000).toISOString();

describe('presence in the console', () => {
  const suite = useConsole();
  let site: PresenceSite;
  let viewer: string;
  let door: OrganizationDoor;
  const get = (path: string) => suite.call({ path, token: viewer });

  before(async () => {
    door = openOrganizationDoor(suite.database.url, { max: 2 });
    suite.database.beforeDrop(() => door.end());
    site = await PresenceSite.create(suite.database, { places: 2, readerPlaces: [HALL, GATE], assets: 4 });
    viewer = await suite.as('viewer', site.orgId);
    await site.watch(HALL, { from: -1_000, mode: 'continuous', maxGap: 60, coverage: 'all' });
    const heard = (reader: number, second: number, assets: number[]) => ({
      ...{ reader, at: second, receivedAt: second, assets },
    });
    await site.deliver([
      heard(GATE, 0, [CART]),
      ...[0, 10, 20, 30, 40, 300, 310, 320].map((second) => heard(HALL, second, [CRATE])),
      heard(HALL, 305, [LOST]),
    ]);
    await site.sweep('01KQSB3M8R0E5T9V2W4X6Y8Z1B', HALL, 500, [LOST]);
  });

  it('counts assets by state as the report has them', async () => {
    const { status, body } = await get('/presence');
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal({
      counts: { present: 1, overdue: 0, missing: 1, unknown: 1, never_seen: 1 },
      missing_from: [[site.places[HALL], 1]],
      ...{ not_counted: null, most_assets: 50_000 },
    });
    for (const state of STATES) {
      const report = await get(`/reports/presence?state=${state}`);
      expect([state, report.body.total_count]).to.deep.equal([state, body.data.counts[state]]);
    }
  });

  it('counts nothing where there are too many assets, and says so', async () => {
    expect(await countStates(door.of(site.orgId), 3)).to.equal('assets');
    expect(await countStates(door.of(site.orgId), 4)).to.nested.include({ 'counts.never_seen': 1 });
  });

  it('tells when nobody would have noticed that an asset left', async () => {
    const { body } = await get(`/assets/${site.assets[CRATE]}/coverage?from=${iso(0)}&to=${iso(330)}`);
    expect(body.data).to.deep.include({ from: iso(0), is_cut: false });
    expect(body.data.gaps).to.have.length(1);
    const [gap] = body.data.gaps;
    expect([gap.location_id, gap.to]).to.deep.equal([site.places[HALL], iso(300)]);
    // It is not known that the reader listened after its last message.
    expect(gap.from).to.equal(iso(40));
    const wide = await get(`/assets/${site.assets[CRATE]}/coverage?from=2020-01-01T00:00:00Z&to=${iso(330)}`);
    expect(wide.body.data.from).to.equal(new Date(at(330) / 1_000 - 31 * 86_400_000).toISOString());
    expect(wide.body.data.gaps).to.deep.equal([gap]);
  });

  it('says where it looked for gaps at some of the places only', async () => {
    const own = Site.of(suite.database, site.orgId);
    const asset = await own.asset('TRAVELLER');
    const pass = async (name: string, second: number) =>
      suite.database.rows(
        `insert into location_transitions (org_id, asset_id, location_id, observed_at)
         values ($1, $2, $3, time_of_micros($4))`,
        [site.orgId, asset, await own.location(name), at(second)],
      );
    const path = `/assets/${asset}/coverage?from=${iso(0)}&to=${iso(330)}`;
    expect((await get(path)).body.data, 'before it was anywhere').to.deep.include({
      gaps: [],
      is_cut: false,
    });
    for (let place = 0; place < 20; place++) {
      await pass(`PASSED-${place}`, place * 10);
    }
    expect((await get(path)).body.data).to.include({ is_cut: false });
    await pass('PASSED-20', 200);
    expect((await get(path)).body.data).to.include({ is_cut: true });
  });

  it('tells of no gaps where things only pass, and of nobody else’s assets', async () => {
    const passed = await get(`/assets/${site.assets[CART]}/coverage?from=${iso(0)}&to=${iso(330)}`);
    expect(passed.body.data.gaps).to.deep.equal([]);
    const other = await Site.create(suite.database, 'Other');
    const asset = await other.asset('THEIRS');
    expect((await get(`/assets/${asset}/coverage`)).status).to.equal(404);
  });
});
