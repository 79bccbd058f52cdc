import { expect } from 'chai';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { listPositionsAt } from '../../../domain/reports/positions-at/list-positions-at.ts';
import { listStays } from '../../../domain/reports/stays/list-stays.ts';
import { useDatabase } from '../../support/database.ts';
import { MeasuredLists } from '../../support/measured-lists.ts';
import { Site } from '../../support/site.ts';

const ASSETS = 5_000;
const MOVES = 40;
const PLACES = 10;
const START = Date.UTC(2020, 0, 1) * 1_000;
const HOUR = 3_600_000_000;

/** Every asset moves once an hour, from one place to the next. */
describe('reports about the past', () => {
  const database = useDatabase();
  const assets: number[] = [];
  const places: number[] = [];
  let lists: MeasuredLists;

  before(async () => {
    const site = await Site.create(database);
    for (let place = 0; place < PLACES; place++) {
      places.push(await site.location(`PLACE-${place}`));
    }
    const made = await database.rows<{ id: number }>(
      `insert into assets (org_id, external_key, name)
       select $1, 'ASSET-' || n, 'Any' from generate_series(1, $2::integer) n returning id`,
      [site.orgId, ASSETS],
    );
    assets.push(...made.map(({ id }) => id));
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select $1, asset, time_of_micros($4::bigint + hour * $5::bigint), ($3::integer[])[1 + (asset + hour) % $6], 3600
       from unnest($2::integer[]) asset, generate_series(0, $7::integer - 1) hour`,
      [site.orgId, assets, places, START, HOUR, PLACES, MOVES],
    );
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select distinct on (asset_id) org_id, asset_id, location_id, observed_at, observed_at
       from location_transitions order by asset_id, observed_at desc`,
    );
    await database.rows('vacuum analyze');
    lists = await MeasuredLists.connect(database.url, site.orgId);
    database.beforeDrop(() => lists.end());
  });

  const page = { limit: 10, offset: 0, include_deleted: false, include_descendants: false };
  const until = START + (MOVES / 2) * HOUR + 1;
  const positions = (filters: object) => (db: OrganizationDatabase) =>
    listPositionsAt(db, until, null, {
      ...page,
      ...filters,
      sort: [{ field: 'asset_external_key', isDescending: false }],
    });
  const stays = (filters: object) => (db: OrganizationDatabase) =>
    listStays(db, { from: until - HOUR, to: until + HOUR }, null, {
      ...page,
      ...filters,
      sort: [{ field: 'entered_at', isDescending: true }],
    });
  const expectFew = async (
    list: (db: OrganizationDatabase) => Promise<{ totalCount: number }>,
    most: number,
  ) => {
    const { result, rows } = await lists.measure(list);
    expect(result.totalCount).to.be.above(0);
    expect(rows).to.be.below(most);
  };

  it(`reads few of ${ASSETS * MOVES} rows for one asset`, async () => {
    const asset = { asset_id: assets.slice(7, 8) };
    await expectFew(positions(asset), 100);
    await expectFew(stays(asset), 150);
  });

  it(`reads a bounded number of rows for each of ${ASSETS} assets, for a place and for all of them, not their histories`, async () => {
    for (const filters of [
      {},
      { location_id: places.slice(0, 1) },
      { location_id: places.slice(0, 1), include_descendants: true },
    ]) {
      await expectFew(positions(filters), 20 * ASSETS);
      await expectFew(stays(filters), 50 * ASSETS);
    }
  });
});
