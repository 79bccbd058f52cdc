import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { createDatabase, withDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate, readMigrations } from '../../../db/timescale/schema/migrate.ts';
import { serverUrl } from '../../support/database.ts';

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
  let url: string;
  let client: pg.Client;
  before(async () => {
    url = withDatabase(serverUrl(), `upgrade_${randomBytes(6).toString('hex')}`);
    await createDatabase(url);
    await migrate(
      url,
      readMigrations().filter(({ name }) => name < '0017'),
    );
    client = new pg.Client(connectionConfig(url, 'test'));
    await client.connect();
    await client.query(ROWS);
    await migrate(url);
  });
  after(async () => {
    await client.end();
    const server = new pg.Client(connectionConfig(withDatabase(url, 'postgres'), 'test'));
    await server.connect();
    await server.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    await server.end();
  });
  const rows = async (sql: string) => (await client.query(sql)).rows;

  it('counts the positions of assets that are there, and leaves the counts of others as they are', async () => {
    const counted = () =>
      rows(`select org_id, resource, is_active, sum(row_count)::integer as live from live_row_counts
        group by 1, 2, 3 having sum(row_count) <> 0 order by 1, 2, 3`);
    const upgraded = await counted();
    expect(upgraded.filter(({ resource }) => resource === 'position')).to.deep.equal(
      await rows(`select org_id, 'position' as resource, true as is_active, count(*)::integer as live
        from positions join assets using (org_id) where id = asset_id and deleted_at is null group by 1 order by 1`),
    );
    await client.query('select recount_live_rows()');
    expect(upgraded).to.deep.equal(await counted());
  });

  it('marks long histories as counting them anew does', async () => {
    const marks = () => rows('select * from history_marks order by org_id, asset_id, observed_at');
    const upgraded = await marks();
    expect(upgraded.map(({ asset_id: assetId, stays }) => [assetId, stays])).to.deep.equal([
      [1, 512],
      [1, 512],
    ]);
    await client.query('select recount_histories()');
    expect(upgraded).to.deep.equal(await marks());
  });
});
