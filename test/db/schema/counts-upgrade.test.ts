import { expect } from 'chai';
import { migrate } from '../../../db/timescale/schema/migrate.ts';
import { useEarlierDatabase } from '../../support/earlier-database.ts';

/** Two organizations with positions, of which some assets are deleted; asset 1 has 1,300 stays, asset 2 511. */
const ROWS = `
  insert into organizations (name) values ('First'), ('Second'), ('Empty');
  insert into locations (org_id, external_key, name) select 1 + n % 2, 'L-' || n, 'Dock' from generate_series(1, 2) n;
  insert into assets (org_id, external_key, name, deleted_at)
  select 1 + n % 2, 'A-' || n, 'Pallet', case when n % 7 = 0 then now() end from generate_series(1, 1000) n;
  insert into positions (org_id, asset_id) select org_id, id from assets where id % 3 > 0;
  insert into location_transitions (org_id, asset_id, observed_at, location_id)
  select org_id, asset_id, now() - n * interval '1 minute', (select min(id) from locations where org_id = asset.org_id)
  from (select org_id, id as asset_id from assets where id <= 2) asset
  cross join generate_series(1, 1300) n where asset_id = 1 or n <= 511`;

describe('an upgrade of what is counted', () => {
  const earlier = useEarlierDatabase('0017');
  before(async () => {
    await earlier.client.query(ROWS);
    await migrate(earlier.url);
  });
  const rows = async (sql: string) => (await earlier.client.query(sql)).rows;

  it('counts the positions of assets that are there, and leaves the counts of others as they are', async () => {
    const counted = () =>
      rows(`select org_id, resource, is_active, sum(row_count)::integer as live from live_row_counts
        group by 1, 2, 3 having sum(row_count) <> 0 order by 1, 2, 3`);
    const upgraded = await counted();
    expect(upgraded.filter(({ resource }) => resource === 'position')).to.deep.equal(
      await rows(`select org_id, 'position' as resource, true as is_active, count(*)::integer as live
        from positions join assets using (org_id) where id = asset_id and deleted_at is null group by 1 order by 1`),
    );
    await earlier.client.query('select recount_live_rows()');
    expect(upgraded).to.deep.equal(await counted());
  });

  it('marks long histories as counting them anew does', async () => {
    const marks = () => rows('select * from history_marks order by org_id, asset_id, observed_at');
    const upgraded = await marks();
    expect(upgraded.map(({ asset_id: assetId, stays }) => [assetId, stays])).to.deep.equal([
      [1, 512],
      [1, 512],
    ]);
    await earlier.client.query('select recount_histories()');
    expect(upgraded).to.deep.equal(await marks());
  });
});
