import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { migrate as migrateTo } from '../../../db/timescale/schema/migrate.ts';
import { readMigrations } from '../../../db/timescale/schema/migrations.ts';
import { makeChunksAhead, sweep, sweepMoves } from '../../../db/timescale/schema/retention.ts';
import { recordReadings } from '../../../domain/tracking/tag-readings.ts';
import { commandLineOn } from '../../support/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { expectFinding, runDoctor } from '../../support/doctor.ts';
import { Site } from '../../support/site.ts';

describe('the login of processes', () => {
  const database = useDatabase();
  const user = `processes_${randomBytes(6).toString('hex')}`;
  let url: string;
  let client: pg.Client;
  before(() => {
    const own = new URL(database.url);
    Object.assign(own, { username: user, password: 'a%20password' });
    url = own.href;
  });
  database.beforeDrop(async () => {
    await client?.end();
    await database.rows(`drop role if exists ${user}`);
  });
  const { tagtrail } = commandLineOn(() => ({ url }));
  const migrate = (from = url) =>
    commandLineOn(() => ({ url: from }), { MIGRATE_DATABASE_URL: database.url }).tagtrail('migrate');

  it('is made by migrating with another, once, and cannot be by itself', async () => {
    expect(await tagtrail('org', 'list')).to.include({ status: 1 });
    const first = await migrate();
    expect(first).to.deep.include({ status: 0, stderr: '' });
    expect(first.stdout).to.include('Nothing to do').and.to.include('Created the user of DATABASE_URL');
    expect((await migrate()).stdout).to.not.include('Made');
    expect(await tagtrail('org', 'list')).to.include({ status: 0 });
    // It finds that it has nothing to do.
    expect(await tagtrail('migrate')).to.include({ status: 0 });
  });

  it('is told if it cannot sign in, or may not do what it has to', async () => {
    const forgotten = new URL(url);
    forgotten.password = 'forgotten';
    const { status, stderr } = await migrate(forgotten.href);
    expect({ status, stderr }, stderr).to.have.property('status', 0);
    expect(stderr).to.include('password authentication failed').and.to.include('alter role');

    await database.rows(`create role stranger_${user} login password 'stranger'`);
    const stranger = new URL(url);
    Object.assign(stranger, { username: `stranger_${user}`, password: 'stranger' });
    const refused = await commandLineOn(() => ({ url: stranger.href })).tagtrail('org', 'list');
    await database.rows(`drop role stranger_${user}`);
    expect(refused.stderr).to.include('The user of DATABASE_URL').and.to.include('grant tagtrail_api');
  });

  it('is refused before anything is migrated, if it would have the password of the owner', async () => {
    const empty = `${user}_empty`;
    await database.rows(`create database ${empty}`);
    const owner = withDatabase(database.url, empty);
    const alike = new URL(owner);
    alike.username = `${user}_alike`;
    const { status, stderr } = await commandLineOn(() => ({ url: alike.href }), {
      MIGRATE_DATABASE_URL: owner,
    }).tagtrail('migrate');
    expect({ status, stderr }).to.have.property('status', 1);
    expect(stderr).to.include('DATABASE_URL has the password of MIGRATE_DATABASE_URL');
    const looking = new pg.Client(connectionConfig(owner));
    await looking.connect();
    const { rows } = await looking.query("select to_regclass('schema_migrations') is null as is_untouched");
    await looking.end();
    await database.rows(`drop database ${empty}`);
    expect(rows).to.deep.equal([{ is_untouched: true }]);
  });

  it('is told who migrates, if there is something to do', async () => {
    const next = [...readMigrations(), { name: '9999-next', sql: 'select' }];
    const error = await migrateTo(url, next).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'forbidden' });
    expect(error)
      .to.have.property('message')
      .that.includes(`${user} cannot migrate it, because ${new URL(database.url).username} owns the tables`)
      .and.includes('set MIGRATE_DATABASE_URL');
  });

  it('changes no table and no ledger of migrations', async () => {
    client = new pg.Client(connectionConfig(url));
    await client.connect();
    for (const refused of [
      'create table strange (id integer)',
      'alter table changes disable trigger all',
      'alter table assets disable row level security',
      'drop table changes',
      'truncate changes',
      `insert into schema_migrations (name) values ('9999-strange')`,
      `select drop_chunks_before('changes', now())`,
      `create role strange`,
    ]) {
      const error = await client.query(refused).catch((thrown: unknown) => thrown);
      expect(error, refused).to.have.property('code', '42501');
    }
  });

  it('records every organization, and acts for one as the API does', async () => {
    const site = await Site.create(database);
    const assetId = await site.asset('PALLET', 'E280');
    expect((await client.query('select external_key from assets')).rows).to.have.length(1);
    const { rows } = await client.query('select id from tags');
    const reading = {
      orgId: site.orgId,
      assetId,
      tagId: rows[0]?.id,
      observedAt: 0,
      readings: { motion: 1 },
    };
    const pool = createWritePool(url, { max: 1 });
    const record = () => inTransaction(pool, (own) => recordReadings(own, [reading], { isCareful: false }));
    expect(await record()).to.equal(true);
    await pool.end();
    await client.query('set role tagtrail_api');
    expect((await client.query('select external_key from assets')).rows).to.have.length(0);
    // Readings have no policy, as they are written by COPY. The API of the former version reads them by the table's name.
    const readings = async () => [
      (await client.query('select from own_readings')).rowCount,
      (await client.query('select from tag_readings')).rowCount,
    ];
    expect(await readings()).to.deep.equal([0, 0]);
    await client.query(`set tagtrail.org_id = ${site.orgId}`);
    expect(await readings()).to.deep.equal([1, 1]);
    await client.query('reset tagtrail.org_id');
  });

  it('drops what is older than its retention, and makes room for what comes', async () => {
    const pool = createWritePool(url, { max: 1, patience: null });
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, reader_id, antenna)
       values (1, 1, 1, now() - interval '90 days', now() - interval '90 days', false, 'rfid', 'E280', 1, 1)`,
    );
    expect(await sweep(pool, 30)).to.include({ isDone: true, scanEvents: 1 });
    expect(await sweepMoves(pool, 30)).to.equal(0);
    await makeChunksAhead(pool);
    await pool.end();
  });

  it('is what doctor recommends to who owns the tables', async () => {
    const owner = await runDoctor({ DATABASE_URL: database.url });
    expect(owner.of('roles')).to.have.nested.property('[0].status', 'warning');
    expect(owner.of('roles')[0]?.remedy).to.include('MIGRATE_DATABASE_URL');
    expect(owner.of('other installations')).to.deep.equal([]);
    const others = Array.from({ length: 5 }, () => new pg.Client(connectionConfig(database.url)));
    await Promise.all(others.map((other) => other.connect()));
    const limited = await runDoctor({ DATABASE_URL: url });
    await Promise.all(others.map((other) => other.end()));
    expect(limited.of('roles')).to.have.nested.property('[0].status', 'ok');
    expect(Number.parseInt(limited.of('connections')[0]?.message ?? '', 10)).to.be.above(others.length);
  });

  it('is told apart by doctor from that of another installation, unless it may not connect there', async () => {
    const other = `"a '${user}"`;
    const another = `"a 'z${user}"`;
    for (const name of [`a '${user}`, `a 'z${user}`]) {
      await database.rows(`create database "${name}"`);
      const there = createWritePool(withDatabase(database.url, name), { max: 1 });
      await there.query('grant create on schema public to tagtrail_service');
      await there.end();
    }
    const found = async () => (await runDoctor({ DATABASE_URL: url })).of('other installations');
    try {
      expectFinding(
        await found(),
        'warning',
        `${other}, `,
        `revoke connect on database ${other} from public`,
      );
      await database.rows(`revoke connect on database ${other} from public`);
      // There are the databases of other tests.
      const shown = async () => (await found()).map(({ message }) => message).join();
      expect(await shown()).to.not.include(other);
      await database.rows(`grant connect on database ${other} to ${user}`);
      const [granted] = await found();
      expect(granted?.message).to.include('by a grant').and.to.include(other);
      expect(granted?.remedy).to.include('set one in its DATABASE_URL').and.to.not.include('from public');
      await database.rows(`${granted?.remedy?.split(': ').at(-1)}`);
      expect(await shown()).to.not.include(other);
    } finally {
      await database.rows(`drop database ${other}`);
      await database.rows(`drop database ${another}`);
    }
  });
});
