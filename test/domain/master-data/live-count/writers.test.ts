import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../../db/timescale/connections/connection.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import { useApi } from '../../../support/api.ts';
import { expectTotals } from './totals.ts';

const OPEN = 10;

describe('the count of live rows', () => {
  const api = useApi();
  const clients: pg.Client[] = [];
  let door: OrganizationDoor;

  before(async () => {
    door = openOrganizationDoor(api.database.url, { max: 4 });
    api.database.beforeDrop(() => door.end());
    for (let opened = 0; opened < OPEN; opened++) {
      const client = new pg.Client(connectionConfig(api.database.url, 'test'));
      await client.connect();
      await client.query(`set lock_timeout = '5s'`);
      clients.push(client);
    }
    api.database.beforeDrop(() => Promise.all(clients.map((client) => client.end())));
  });

  const create = (external_key: string) =>
    api.call({ method: 'POST', path: '/api/v1/assets', json: { name: 'Pallet', external_key } });
  const total = async (query = '') => {
    const { status, text, body } = await api.call({ path: `/api/v1/assets?limit=1${query}` });
    expect(status, text).to.equal(200);
    return Number(body?.total_count);
  };
  const countRows = async () => {
    const [row] = await api.database.rows<{ count: number }>('select count(*) from live_row_counts');
    return row?.count;
  };
  const insert = `insert into assets (org_id, external_key, name)
    select $1, $2 || '-' || n, 'Pallet' from generate_series(1, $3) n`;

  it('keeps no create waiting for the open transaction of another, which counts when it commits', async () => {
    for (const [index, client] of clients.entries()) {
      await client.query('begin');
      await client.query(insert, [api.orgId, `OPEN-${index}`, 1]);
      await client.query(insert, [api.orgId, `OPEN-AGAIN-${index}`, 1]);
    }
    expect((await create('MEANWHILE')).status).to.equal(201);
    expect(await total()).to.equal(1);
    for (const [index, client] of clients.entries()) {
      await client.query(index % 2 === 0 ? 'commit' : 'rollback');
    }
    expect(await total()).to.equal(1 + OPEN);
    await expectTotals(door.of(api.orgId));
  });

  it('has no more rows than there were writers at once, however many there were in all', async () => {
    expect(await countRows()).to.be.within(1, OPEN + 1);
    const before = await countRows();
    for (let created = 0; created < 50; created++) {
      await create(`LATER-${created}`);
    }
    expect(await countRows()).to.equal(before);
    await expectTotals(door.of(api.orgId));
  });

  it('counts 500 rows of one statement, and their deletion', async () => {
    const before = await total();
    await api.database.rows(insert, [api.orgId, 'BULK', 500]);
    expect(await total()).to.equal(before + 500);
    expect(await total('&is_active=true')).to.equal(before + 500);
    await api.database.rows(`update assets set is_active = false where external_key like 'BULK-%'`);
    expect(await total('&is_active=false')).to.equal(500);
    await api.database.rows(`update assets set deleted_at = now() where external_key like 'BULK-%'`);
    expect(await total()).to.equal(before);
    expect(await total('&include_deleted=true')).to.equal(before + 500);
    await api.database.rows(`delete from assets where external_key like 'BULK-%'`);
    expect(await total()).to.equal(before);
  });

  it('cannot be written by an organization, nor seen by another', async () => {
    const row = rowsOf<{ org_id: number }>();
    const { orgId } = await api.organization('Other');
    await api.database.rows(insert, [orgId, 'THEIRS', 3]);
    const seen = await door.of(orgId).any(sql.type(row)`select distinct org_id from live_row_counts`);
    expect(seen).to.deep.equal([{ org_id: orgId }]);
    for (const forbidden of [
      sql.type(row)`update live_row_counts set row_count = 0 returning org_id`,
      sql.type(
        row,
      )`insert into live_row_counts (org_id, resource, is_active, row_count) values (${orgId}, 'asset', true, 1)`,
      sql.type(row)`delete from live_row_counts`,
      sql.type(row)`select add_live_rows('asset', ${orgId}, true, 1)`,
      sql.type(row)`select recount_live_rows()`,
    ]) {
      const error = await door
        .of(orgId)
        .any(forbidden)
        .catch((e: unknown) => e);
      expect(error).to.have.property('code', '42501');
    }
  });

  it('is zero after a truncate that is kept', async () => {
    const [client] = clients;
    const before = await total();
    await client?.query('begin; truncate assets cascade; rollback');
    expect(await total()).to.equal(before);
    await client?.query('truncate assets cascade');
    expect(await total()).to.equal(0);
    await create('FIRST');
    expect(await total()).to.equal(1);
    await expectTotals(door.of(api.orgId));
  });
});
