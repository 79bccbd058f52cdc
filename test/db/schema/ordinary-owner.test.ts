import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { allowLogin } from '../../../db/timescale/schema/allow-login.ts';
import { migrate } from '../../../db/timescale/schema/migrate.ts';
import { sweepMoves } from '../../../db/timescale/schema/retention.ts';
import { eraseOrganization } from '../../../domain/administration/organizations/erase-organization.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { serverUrl } from '../../support/database.ts';
import { Link, targetOf } from '../../support/link.ts';
import { sealAll } from '../../support/seal-all.ts';

describe('a database whose owner is no superuser', () => {
  const name = `owned_${randomBytes(6).toString('hex')}`;
  let server: pg.Client;

  before(async () => {
    server = new pg.Client(connectionConfig(serverUrl()));
    await server.connect();
    await server.query(`create role ${name} login createrole password 'owner'`);
    for (const role of ['tagtrail_api', 'tagtrail_access', 'tagtrail_service', 'tagtrail_people']) {
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

  it('lets processes in by a login of their own', async () => {
    const url = new URL(withDatabase(serverUrl(), name));
    url.username = name;
    url.password = 'owner';
    const own = new URL(url);
    own.username = `${name}_processes`;
    expect(await allowLogin(url.href, own.href).catch((error: unknown) => error))
      .to.have.property('message')
      .that.includes('DATABASE_URL has the password of MIGRATE_DATABASE_URL');
    own.password = 'ﬁne\u00a0ünguessed';
    let sent = '';
    const link = await Link.open(targetOf(url.href), () => ({
      fromClient: (bytes) => {
        sent += bytes.toString();
      },
      fromServer: () => {},
    }));
    const migrating = link.by(url.href);
    const both = await Promise.all([allowLogin(migrating, own.href), allowLogin(migrating, own.href)]);
    await link.close();
    expect(both).to.have.members([true, false]);
    // The server may log statements.
    expect(sent).to.include('_processes" login password \'SCRAM-SHA-256$').and.not.include('nguessed');
    const pool = createWritePool(own.href, { max: 1 });
    expect((await pool.query('select name from organizations')).rows).to.deep.equal([{ name: 'Acme' }]);
    await pool.end();
    await server.query(`drop role ${name}_processes`);
    await server.query(`alter role ${name} nocreaterole`);
    expect(await allowLogin(url.href, own.href).catch((error: unknown) => error))
      .to.have.property('message')
      .that.includes(`as a superuser: create role "${name}_processes" login password '...'; grant`);
    own.username = '';
    expect(await allowLogin(url.href, own.href).catch((error: unknown) => error))
      .to.have.property('message')
      .that.includes('DATABASE_URL names no user');
  });

  it('has a move feed that is sealed and swept', async () => {
    const url = new URL(withDatabase(serverUrl(), name));
    url.username = name;
    url.password = 'owner';
    const pool = createWritePool(url.href, { max: 2 });
    await pool.query(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at)
       select id, 1, 'moved', now() from organizations`,
    );
    await pool.query(
      `with location as (
         insert into locations (org_id, external_key, name) select id, 'A', 'A' from organizations returning *
       ), asset as (
         insert into assets (org_id, external_key, name) select id, 'P', 'P' from organizations returning *
       ), stay as (
         insert into location_transitions (org_id, asset_id, observed_at, location_id)
         select org_id, asset.id, now(), location.id from asset join location using (org_id)
       )
       insert into positions (org_id, asset_id, location_id, since)
       select org_id, asset.id, location.id, now() from asset join location using (org_id)`,
    );
    expect(await sealAll(url.href)).to.equal(1);
    await pool.query(`update move_days set day = day - 100`);
    expect(await sweepMoves(pool, 7)).to.be.oneOf([0, 1]);
    await pool.end();
  });

  it('is rid of an organization for good', async () => {
    const url = new URL(withDatabase(serverUrl(), name));
    url.username = name;
    url.password = 'owner';
    const pool = createWritePool(url.href, { max: 1, patience: null });
    const { rows } = await pool.query<{ id: number }>(
      `update organizations set deleted_at = now() where name = 'Acme' returning id`,
    );
    await pool.query(
      `with account as (insert into users (email, name) values ('ada@example.com', 'Ada') returning id)
       insert into memberships (user_id, org_id, role) select id, $1, 'viewer' from account`,
      [rows[0]?.id],
    );
    const erased = await eraseOrganization(
      pool,
      TEST_ACTOR,
      { orgId: rows[0]?.id ?? 0, name: 'Acme', leavesPublished: false },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    expect(erased).to.deep.include({ name: 'positions', deleted: 1, left: 0 });
    expect((await pool.query('select from organizations union all select from users')).rowCount).to.equal(0);
    await pool.end();
  });
});
