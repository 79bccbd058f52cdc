import { expect } from 'chai';
import {
  type AssetLocationFilters,
  listAssetLocations,
} from '../../../../domain/reports/asset-locations/list-asset-locations.ts';
import { useDatabase } from '../../../support/database.ts';
import { MeasuredLists } from '../../../support/measured-lists.ts';
import { Site } from '../../../support/site.ts';

const ASSETS = 20_000;

/** Each asset is scanned by a reader or, one in five, by hand; some three to an instant. */
const SCANS = `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
    tag_value, reader_id, antenna, handheld_id, submission_id, submission_index)
  select $1, id, $2, timestamptz '2026-05-01Z' + (((id::bigint * 7919) % 100003) / $3::integer + round * 90000) * interval '10 ms',
    now(), false, 'rfid', 'tag-' || id, case when id % 5 > 0 then 1 end, case when id % 5 > 0 then 1 end,
    case when id % 5 = 0 then 1 end, case when id % 5 = 0 then 'walk-' || id || '-' || round end,
    case when id % 5 = 0 then round end
  from assets cross join generate_series(1, 2) round where org_id = $1`;

const POSITIONS = `insert into positions (org_id, asset_id, location_id, since, last_seen)
  select org_id, asset_id, location_id, min(observed_at), max(observed_at) from scan_events where org_id = $1
  group by org_id, asset_id, location_id`;

describe('the first page of the whole report', () => {
  const database = useDatabase();
  let lists: MeasuredLists;
  let site: Site;

  before(async () => {
    site = await Site.create(database);
    const placed = await site.location('A');
    await database.rows(
      `insert into assets (org_id, external_key, name, deleted_at, valid_to)
       select $1, 'ASSET-' || n, 'Any', case when n % 7 = 0 then now() end, case when n % 111 = 0 then now() end
       from generate_series(1, $2::integer) n`,
      [site.orgId, ASSETS],
    );
    await database.rows(SCANS, [site.orgId, placed, 3]);
    await database.rows(POSITIONS, [site.orgId]);
    // Somebody else's, later.
    const other = await Site.create(database);
    const elsewhere = await other.location('A');
    await database.rows(
      `insert into assets (org_id, external_key, name) select $1, 'ASSET-' || n, 'Any' from generate_series(1, 10) n`,
      [other.orgId],
    );
    await database.rows(SCANS, [other.orgId, elsewhere, 1]);
    await database.rows(POSITIONS, [other.orgId]);
    await database.rows('analyze');
    lists = await MeasuredLists.connect(database.url, site.orgId);
    database.beforeDrop(() => lists.end());
  });

  const latest: AssetLocationFilters = {
    sort: [{ field: 'asset_last_seen', isDescending: true }],
    limit: 50,
    offset: 0,
    include_deleted: false,
    include_not_in_effect: false,
    asset_id: undefined,
    asset_external_key: undefined,
    location_id: undefined,
    location_external_key: undefined,
  };
  const page = (filters: Partial<AssetLocationFilters> = {}) =>
    lists.measure((db) => listAssetLocations(db, { ...latest, ...filters }));
  const expected = async (limit: number, offset = 0) =>
    (
      await database.rows<{ id: number }>(
        `select asset.id from positions position
         join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
         where position.org_id = $1 and position.location_id is not null and deleted_at is null and valid_to is null
         order by last_seen desc, asset.id limit $2 offset $3`,
        [site.orgId, limit, offset],
      )
    ).map(({ id }) => id);

  it(`reads few of the ${ASSETS} positions`, async () => {
    const { result, rows, pages } = await page();
    expect(result.rows.map(({ id }) => id)).to.deep.equal(await expected(50));
    expect(rows)
      .to.be.above(50)
      .and.below(ASSETS / 2);
    expect(pages).to.be.above(50).and.below(4_000);
  });

  it('is the right one, for every length and place near the start', async () => {
    for (const [limit, offset] of [
      [1, 0],
      [7, 3],
      [200, 0],
      [50, 150],
      [1, 199],
    ] as const) {
      const { result } = await page({ limit, offset });
      expect(result.rows.map(({ id }) => id)).to.deep.equal(await expected(limit, offset));
    }
  });

  it('is the right one where the latest scans were taken back', async () => {
    const newest = await expected(20);
    // Which leaves them where they are on the page.
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, reader_id, antenna)
       select org_id, asset_id, location_id, last_seen - interval '10 us', now(), false, 'rfid', asset_id::text, 1, 1
       from positions where asset_id = any ($1)`,
      [newest],
    );
    await database.rows(
      `update scan_events scan set retraction_id = 'taken-back', reader_id = null, antenna = null, handheld_id = 1,
         submission_id = 'walk-' || scan.asset_id, submission_index = 0
       from positions position
       where position.org_id = scan.org_id and position.asset_id = scan.asset_id and position.asset_id = any ($1)
         and scan.observed_at = position.last_seen`,
      [newest],
    );
    await database.rows(
      `update positions set last_seen = (select max(observed_at) from scan_events scan
         where scan.org_id = positions.org_id and scan.asset_id = positions.asset_id and retraction_id is null)
       where asset_id = any ($1)`,
      [newest],
    );
    const { result } = await page();
    expect(result.rows.map(({ id }) => id)).to.deep.equal(await expected(50));
    expect(result.rows.map(({ id }) => id)).to.include.members(newest);
  });

  for (const [what, change] of [
    ['of which all scans were taken back', 'location_id = null, since = null, last_seen = null'],
    ['that was seen, and whose location is undecided', 'location_id = null, since = null'],
  ] as const) {
    it(`does not count an asset ${what}`, async () => {
      const { totalCount } = (await page()).result;
      const [gone] = await expected(1);
      await database.rows(`update positions set ${change} where asset_id = $1`, [gone]);
      const { result } = await page({ include_not_in_effect: false });
      expect(result.totalCount).to.equal(totalCount - 1);
      expect(result.rows.map(({ id }) => id)).to.not.include(gone);
    });
  }

  it('is the right one where the latest scans are of a few assets, over and over', async () => {
    const standing = (await expected(5, 300))[0] ?? 0;
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, reader_id, antenna)
       select $1, $2, location_id, last_seen + n * interval '1 minute', now(), false, 'rfid', 'standing', 1, 1
       from positions cross join generate_series(1, 3000) n where asset_id = $2`,
      [site.orgId, standing],
    );
    await database.rows(
      `update positions set last_seen = (select max(observed_at) from scan_events where asset_id = $1) where asset_id = $1`,
      [standing],
    );
    const { result } = await page();
    expect(result.rows.map(({ id }) => id)).to.deep.equal(await expected(50));
    expect(result.rows[0]?.id).to.equal(standing);
  });

  it('is the right one where raw scans are gone', async () => {
    await database.rows('delete from scan_events where org_id = $1', [site.orgId]);
    const { result } = await page();
    expect(result.rows.map(({ id }) => id)).to.deep.equal(await expected(50));
  });
});
