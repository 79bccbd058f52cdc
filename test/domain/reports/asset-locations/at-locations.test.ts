import { expect } from 'chai';
import {
  type AssetLocationFilters,
  listAssetLocations,
} from '../../../../domain/reports/asset-locations/list-asset-locations.ts';
import { useDatabase } from '../../../support/database.ts';
import { MeasuredLists } from '../../../support/measured-lists.ts';
import { Site } from '../../../support/site.ts';

const ASSETS = 20_000;

describe('the report at a location', () => {
  const database = useDatabase();
  let lists: MeasuredLists;
  let site: Site;
  let full: number;
  let small: number;

  before(async () => {
    site = await Site.create(database);
    full = await site.location('FULL');
    small = await site.location('SMALL');
    await database.rows(
      `insert into assets (org_id, external_key, name, deleted_at, valid_from, valid_to)
       select $1, 'ASSET-' || n, 'Any', case when n % 70 = 0 then now() end,
         case when n % 222 = 0 then now() + interval '1 day' else now() end, case when n % 111 = 0 then now() + n % 2 * interval '1 day' end
       from generate_series(1, $2::integer) n`,
      [site.orgId, ASSETS + 500],
    );
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select org_id, id, case when number > 500 then $2::integer when number > 400 then null else $3::integer end,
         case when number > 400 and number <= 500 then null else now() end, now()
       from (select *, row_number() over (order by id) as number from assets where org_id = $1) asset`,
      [site.orgId, full, small],
    );
    await database.rows('vacuum analyze assets, positions');
    lists = await MeasuredLists.connect(database.url, site.orgId);
    database.beforeDrop(() => lists.end());
  });

  const page = (filters: Partial<AssetLocationFilters>) =>
    lists.measure((db) =>
      listAssetLocations(db, {
        sort: [{ field: 'asset_external_key', isDescending: false }],
        limit: 10,
        offset: 0,
        include_deleted: false,
        include_not_in_effect: false,
        asset_id: undefined,
        asset_external_key: undefined,
        location_id: undefined,
        location_external_key: undefined,
        ...filters,
      }),
    );
  const counted = async (locationIds: number[], withNotInEffect: boolean) => {
    const [row] = await database.rows<{ count: number }>(
      `select count(*) from positions join assets using (org_id)
       where asset_id = id and org_id = $1 and location_id = any ($2) and deleted_at is null
         and ($3 or valid_from <= now() and (valid_to is null or valid_to > now()))`,
      [site.orgId, locationIds, withNotInEffect],
    );
    return row?.count;
  };

  it('has an exact total, by id and by key, in effect or not', async () => {
    for (const include_not_in_effect of [false, true]) {
      for (const [filter, ids] of [
        [{ location_id: [full] }, [full]],
        [{ location_id: [full, small] }, [full, small]],
        [{ location_external_key: ['SMALL'] }, [small]],
        [{ location_id: [full, small], location_external_key: ['SMALL'] }, [small]],
        [{ location_id: [full], location_external_key: ['SMALL'] }, []],
      ] as const) {
        const { result } = await page({
          include_not_in_effect,
          location_id: 'location_id' in filter ? [...filter.location_id] : undefined,
          location_external_key:
            'location_external_key' in filter ? [...filter.location_external_key] : undefined,
        });
        expect(result.totalCount).to.equal(await counted([...ids], include_not_in_effect));
      }
    }
  });

  it(`counts ${ASSETS} positions there, and shows those seen last, without a look at each asset`, async () => {
    for (const field of ['asset_external_key', 'asset_last_seen'] as const) {
      const filters = { location_id: [full], sort: [{ field, isDescending: field === 'asset_last_seen' }] };
      const { rows, result } = await page(filters);
      // Deleted ones among them, so that each asset is looked at.
      const each = await page({ ...filters, include_deleted: true, include_not_in_effect: true });
      expect(each.result.totalCount).to.equal(ASSETS);
      expect(result.rows).to.have.lengthOf(10);
      expect(rows, field)
        .to.be.above(ASSETS)
        .and.below(each.rows / 2);
    }
  });

  it('shows the same rows of those seen last, wherever the page is', async () => {
    const sort = [{ field: 'asset_last_seen', isDescending: true }] as const;
    const shown = async (limit: number, offset: number) =>
      (await page({ location_id: [full], sort: [...sort], limit, offset })).result.rows.map(({ id }) => id);
    const [all, first, second] = [await shown(1_000, 0), await shown(7, 0), await shown(50, 40)];
    expect(all).to.have.lengthOf(1_000);
    expect([first, second]).to.deep.equal([all.slice(0, 7), all.slice(40, 90)]);
  });
});
