import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import { plainValue } from '../../../base/scanned-text.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { pidOf } from '../../../db/timescale/connections/blockers.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { isMigrated, migrate } from '../../../db/timescale/schema/migrate.ts';
import { isFunctions, newestOf, readMigrations } from '../../../db/timescale/schema/migrations.ts';
import { finishSearchIndexes } from '../../../db/timescale/schema/search-indexes.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import { serverUrl } from '../../support/database.ts';
import { run } from '../../support/process.ts';

describe('migrations', () => {
  let url: string;
  beforeEach(async () => {
    url = withDatabase(serverUrl(), `migrate_${randomBytes(6).toString('hex')}`);
    await createDatabase(url);
  });
  afterEach(async () => {
    await query(
      withDatabase(url, 'postgres'),
      `drop database ${new URL(url).pathname.slice(1)} with (force)`,
    );
  });

  it('are numbered without gaps, in the order in which they are applied', () => {
    const migrations = readMigrations();
    const numbers = migrations.slice(0, -1).map(({ name }) => name.slice(0, 5));
    expect(numbers).to.deep.equal(numbers.map((_, index) => `0${200 + index}-`));
    expect(migrations.filter(isFunctions)).to.deep.equal(migrations.slice(-1));
  });

  it('are applied once when twenty processes migrate at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => migrate(url)));
    const migrations = readMigrations();
    const names = migrations.map(({ name }) => name);
    expect(results.flatMap(({ applied }) => applied)).to.deep.equal(names);
    expect(results.map(({ current }) => current)).to.deep.equal(Array(20).fill(newestOf(migrations)));
  });

  it('leave nothing of a migration that fails, and go on from there', async () => {
    const [first, ...others] = readMigrations();
    const broken = { name: '0201-broken', sql: 'create table half (id integer); select no_such_column;' };
    const error = await migrate(url, first === undefined ? [] : [first, broken]).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(pg.DatabaseError);
    expect(
      await query(url, `select to_regclass('half') as half, count(*) from schema_migrations`),
    ).to.deep.equal([{ half: null, count: 1 }]);
    expect((await migrate(url)).applied).to.deep.equal(others.map(({ name }) => name));
  });

  it('are followed by the functions, which are applied again when one has another text', async () => {
    const migrations = readMigrations();
    const others = `create or replace function cell_number() returns integer language sql stable as 'select 7'`;
    await migrate(url, [...migrations.slice(0, -1), { name: 'functions-others', sql: others }]);
    const number = () => query(url, 'select cell_number() as number');
    expect(await number()).to.deep.equal([{ number: 7 }]);
    expect((await migrate(url)).applied).to.deep.equal([migrations.at(-1)?.name]);
    expect(await number()).to.deep.equal([{ number: null }]);
    expect(await query(url, 'select name from schema_migrations order by name')).to.deep.equal(
      migrations.map(({ name }) => ({ name })),
    );
  });

  it('give barcodes with FNC1 from before the keys by which scanners without it find them', async () => {
    const values = [
      '018061414112345810L1\u001d216789',
      ']d2018061414112345810L1\u001d216789',
      '\u001d0180614141123458216789',
      'A\u001dB',
    ];
    await migrate(url, migrationsBefore('0218-'));
    await query(url, `insert into organizations (name) values ('a')`);
    await query(url, `insert into assets (org_id, name, external_key) values (1, 'a', 'a')`);
    for (const value of values) {
      const key = tagKey('barcode', value);
      await query(
        url,
        `insert into tags (org_id, asset_id, tag_type, value, tag_key, normal_key)
         values (1, 1, 'barcode', $1, $1, nullif($2, $1))`,
        [value, key],
      );
    }
    await migrate(url);
    const keys = values.map((value) => ({ spelling: plainValue(value), normal: tagKey('barcode', value) }));
    expect(
      await query(url, 'select tag_key as spelling, normal_key as normal from tags order by id'),
    ).to.deep.equal(keys);
  });

  it('leave assets to be indexed by their metadata beside those who write, and find them meanwhile', async () => {
    await migrate(url, migrationsBefore('0224-'));
    await query(url, `insert into organizations (name) values ('a'), ('b')`);
    await query(
      url,
      `insert into assets (org_id, name, external_key, metadata)
       values (1, 'a', 'a', '{"n":1}'), (1, 'b', 'b', '{"n":2}'), (2, 'c', 'c', '{"n":1}')`,
    );
    const found = () =>
      query(
        url,
        `select found.external_key from set_config('tagtrail.org_id', '1', true) as set_org
         cross join lateral find_assets_by_metadata(
           set_org::integer, '{"n":"1"}', false, false, null) as found`,
      );
    const statistics = () =>
      query(
        url,
        `select attstattarget as target from pg_attribute where attrelid = to_regclass('assets__fields')`,
      );
    await migrate(url);
    expect(await found()).to.deep.equal([{ external_key: 'a' }]);
    expect(await statistics()).to.deep.equal([]);
    expect(await finishSearchIndexes(url)).to.deep.equal(['assets__fields']);
    expect(await found()).to.deep.equal([{ external_key: 'a' }]);
    expect(await statistics()).to.deep.equal([{ target: 0 }]);
    // As if the build had been cut off before it set them.
    await query(url, 'alter index assets__fields alter column 1 set statistics 100');
    expect(await finishSearchIndexes(url)).to.deep.equal([]);
    expect(await statistics()).to.deep.equal([{ target: 0 }]);
  });

  it('refuse a database that a newer version has migrated', async () => {
    await migrate(url);
    await query(url, `insert into schema_migrations (name) values ('9999-later')`);
    const error = await migrate(url).catch((e: unknown) => e);
    expect(error).to.have.property('code', 'conflict');
    expect(error).to.have.property('message').that.includes('9999-later');
  });

  describe('beside others', () => {
    const TABLE = { name: '0001-table', sql: 'create table busy (id integer)' };
    const COLUMN = { name: '0002-column', sql: 'alter table busy add column name text' };
    let holder: pg.Client;
    beforeEach(async () => {
      await migrate(url, [TABLE]);
      holder = new pg.Client(connectionConfig(url));
      await holder.connect();
    });
    afterEach(() => holder.end());

    it('give way to those who want a table while another transaction keeps them from it', async () => {
      await holder.query('begin; select from busy');
      const said = Promise.withResolvers<string>();
      const migrating = migrate(url, [TABLE, COLUMN], { say: said.resolve });
      expect(await said.promise).to.match(
        new RegExp(
          `^0002-column \\(1 of 1\\) waits for pid ${pidOf(holder)} \\(.+, user \\w+, in a transaction since [-0-9]+T[0-9:.]+Z\\)$`,
        ),
      );
      expect(await query(url, 'select * from busy')).to.deep.equal([]);
      await holder.query('commit');
      expect((await migrating).applied).to.deep.equal(['0002-column']);
    });

    it('can be told to stop while they wait, and leave nothing', async () => {
      await holder.query('begin; select from busy');
      const controller = new AbortController();
      const say = () => controller.abort();
      const error = await migrate(url, [TABLE, COLUMN], { say, signal: controller.signal }).catch(
        (e: unknown) => e,
      );
      expect(error).to.have.property('code', 'unavailable');
      await holder.query('commit');
      expect((await migrate(url, [TABLE, COLUMN])).applied).to.deep.equal(['0002-column']);
    });

    it('say which one takes long', async () => {
      const said: string[] = [];
      const sql = 'select count(*) from generate_series(1, 1000000)';
      await migrate(url, [TABLE, { name: '0002-long', sql }], { say: (what) => said.push(what), every: 1 });
      expect(said[0]).to.match(/^0002-long \(1 of 1\) has been running for \d+ s so far$/);
    });

    for (const [lock, what] of [
      ['migration', 'migrates the database'],
      ['searchIndexes', 'is building the missing indexes'],
    ] as const) {
      it(`are waited for by the command, which says so: who ${what}`, async () => {
        await query(url, 'drop table busy, schema_migrations');
        await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS[lock]]);
        const waits = new RegExp(
          `^Another process ${what}: pid ${pidOf(holder)} \\(.+, user \\w+, connected since .+Z\\); waiting for it$`,
          'm',
        );
        const command = run('services/cli/tagtrail.ts', ['migrate'], { DATABASE_URL: url });
        while (!waits.test(command.stderr())) {
          await Promise.race([once(command.child.stderr as NodeJS.ReadableStream, 'data'), command.ended]);
          expect(command.child.exitCode, command.stderr()).to.equal(null);
        }
        await holder.query('select pg_advisory_unlock_all()');
        expect(await command.ended).to.equal(0);
        expect(command.stdout()).to.match(/^Applied 0200-baseline, .*functions-/);
      });

      it(`are not said to be complete by a command that was interrupted while it waited: who ${what}`, async () => {
        await query(url, 'drop table if exists busy; drop table if exists schema_migrations');
        await query(url, 'drop schema public cascade; create schema public');
        await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS[lock]]);
        const waits = new RegExp(
          `^Another process ${what}: pid ${pidOf(holder)} \\(.+, user \\w+, connected since .+Z\\); waiting for it$`,
          'm',
        );
        const command = run('services/cli/tagtrail.ts', ['migrate'], { DATABASE_URL: url });
        while (!waits.test(command.stderr())) {
          await Promise.race([once(command.child.stderr as NodeJS.ReadableStream, 'data'), command.ended]);
          expect(command.child.exitCode, command.stderr()).to.equal(null);
        }
        command.child.kill('SIGINT');
        expect(await command.ended).to.equal(1);
        expect(command.stderr()).to.match(/\nInterrupted; run it again to continue\n$/);
        await holder.query('select pg_advisory_unlock_all()');
      });
    }
  });

  it('are known to be missing, pending or complete', async () => {
    const client = new pg.Client(connectionConfig(url));
    await client.connect();
    expect(await isMigrated(client)).to.equal(false);
    await migrate(url);
    expect(await isMigrated(client)).to.equal(true);
    expect(await isMigrated(client, [...readMigrations(), { name: '9999-next', sql: '' }])).to.equal(false);
    await client.end();
  });
});

async function query(url: string, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client(connectionConfig(url));
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function migrationsBefore(start: string) {
  const migrations = readMigrations();
  return migrations.slice(
    0,
    migrations.findIndex(({ name }) => name.startsWith(start)),
  );
}
