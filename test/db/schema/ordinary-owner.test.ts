import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate } from '../../../db/timescale/schema/migrate.ts';
import { serverUrl } from '../../support/database.ts';

describe('a database whose owner is no superuser', () => {
  const name = `owned_${randomBytes(6).toString('hex')}`;
  let server: pg.Client;

  before(async () => {
    server = new pg.Client(connectionConfig(serverUrl()));
    await server.connect();
    await server.query(`create role ${name} login createrole password 'owner'`);
    for (const role of ['tagtrail_api', 'tagtrail_access', 'tagtrail_service']) {
      // As it is for who made the role: a member who inherits nothing.
      await server.query(`grant ${role} to ${name} with admin true, inherit false, set true`);
    }
    await server.query(`create database ${name} owner ${name}`);
    // The extension is a superuser's to make.
    const administrator = new pg.Client(connectionConfig(withDatabase(serverUrl(), name)));
    await administrator.connect();
    const { rowCount } = await administrator.query(
      `select from pg_available_extensions where name = 'timescaledb'`,
    );
    if (rowCount === 1) {
      await administrator.query('create extension if not exists timescaledb');
    }
    await administrator.end();
  });
  after(async () => {
    await server.query(`drop database ${name} with (force)`);
    await server.query(`drop role ${name}`);
    await server.end();
  });

  it('can be migrated and written to', async () => {
    const url = new URL(withDatabase(serverUrl(), name));
    url.username = name;
    url.password = 'owner';
    await migrate(url.href);
    const owner = new pg.Client(connectionConfig(url.href));
    await owner.connect();
    await owner.query(`insert into organizations (name) values ('Acme')`);
    const { rows } = await owner.query('select name from organizations');
    await owner.end();
    expect(rows).to.deep.equal([{ name: 'Acme' }]);
  });
});
