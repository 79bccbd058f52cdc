import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate, readMigrations } from '../../../db/timescale/schema/migrate.ts';
import { serverUrl } from '../../support/database.ts';

const BEFORE = readMigrations().filter(({ name }) => name < '0007');

const ROWS = `
  insert into organizations (name) values ('First'), ('Second'), ('Empty');
  insert into assets (org_id, external_key, name, is_active, valid_to, deleted_at)
  select 1 + n % 2, 'A-' || n, 'Pallet', n % 5 > 0, case when n % 3 = 0 then now() end, case when n % 7 = 0 then now() end
  from generate_series(1, 1000) n;
  insert into locations (org_id, external_key, name, deleted_at)
  select 1, 'L-' || n, 'Dock', case when n % 2 = 0 then now() end from generate_series(1, 10) n`;

const COUNTED = `select org_id, resource, is_active, sum(row_count)::int8 as live from live_row_counts
  group by org_id, resource, is_active having sum(row_count) <> 0 order by org_id, resource, is_active`;

const EXPECTED = `select org_id, resource, is_active, count(*) as live from (
    select org_id, 'asset' as resource, is_active from assets where deleted_at is null
    union all select org_id, 'location', is_active from locations where deleted_at is null) item
  group by org_id, resource, is_active order by org_id, resource, is_active`;

describe('the migration that counts live rows', () => {
  let url: string;
  let client: pg.Client;
  beforeEach(async () => {
    url = withDatabase(serverUrl(), `upgrade_${randomBytes(6).toString('hex')}`);
    await createDatabase(url);
    await migrate(url, BEFORE);
    client = new pg.Client(connectionConfig(url, 'test'));
    await client.connect();
    await client.query(ROWS);
  });
  afterEach(async () => {
    const name = new URL(url).pathname.slice(1);
    await client.end();
    const server = new pg.Client(connectionConfig(withDatabase(url, 'postgres'), 'test'));
    await server.connect();
    await server.query(`drop database ${name} with (force)`);
    await server.end();
  });

  async function expectCounts(): Promise<void> {
    const { rows } = await client.query(EXPECTED);
    expect(rows).to.have.length.above(3);
    expect((await client.query(COUNTED)).rows).to.deep.equal(rows);
  }

  it('counts the rows that are there', async () => {
    await migrate(url);
    await expectCounts();
  });

  it('waits for those who are writing, counts what they wrote, and lets others read', async () => {
    const writer = new pg.Client(connectionConfig(url, 'test'));
    await writer.connect();
    await writer.query('begin');
    await writer.query(`insert into assets (org_id, external_key, name) values (3, 'LATE', 'Pallet')`);
    await writer.query(`update assets set deleted_at = now() where org_id = 1 and deleted_at is null`);
    const migrated = migrate(url);
    const waiting = `select from pg_stat_activity where datname = current_database()
      and application_name = 'tagtrail migrate' and wait_event_type = 'Lock' and wait_event = 'relation'`;
    while ((await client.query(waiting)).rowCount === 0) {}
    expect((await client.query('select count(*) from assets')).rows).to.deep.equal([{ count: 1000 }]);
    await writer.query('commit');
    await writer.end();
    await migrated;
    await expectCounts();
  });

  it('counts for an owner too whom row-level security binds', async () => {
    await migrate(url);
    const name = new URL(url).pathname.slice(1);
    await client.query(`create role ${name}_owner nologin`);
    await client.query(`grant tagtrail_service to ${name}_owner`);
    for (const table of ['live_row_counts', 'assets', 'locations', 'positions']) {
      await client.query(`alter table ${table} owner to ${name}_owner`);
    }
    for (const signature of [
      'add_live_rows',
      'count_live_rows',
      'recount_live_rows',
      'count_positions',
      'count_position_of_asset',
    ]) {
      await client.query(`alter function ${signature} owner to ${name}_owner`);
    }
    await client.query(`set role tagtrail_api; set tagtrail.org_id = '3'`);
    await client.query(`insert into assets (org_id, external_key, name) values (3, 'NEW', 'Pallet')`);
    await client.query(`reset role; set role ${name}_owner; select recount_live_rows(); reset role`);
    await expectCounts();
    await client.query(`set role tagtrail_api`);
    await client.query(`update assets set deleted_at = now() where org_id = 3`);
    await client.query('reset role');
    await expectCounts();
    await client.query(`reassign owned by ${name}_owner to current_user; drop owned by ${name}_owner`);
    await client.query(`drop role ${name}_owner`);
  });

  it('leaves a way to count again what was brought in past the triggers', async () => {
    await migrate(url);
    await client.query('set session_replication_role = replica');
    await client.query(`insert into assets (org_id, external_key, name) values (3, 'PAST', 'Pallet')`);
    await client.query('set session_replication_role = origin');
    await client.query('select recount_live_rows()');
    await expectCounts();
  });
});
