import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connection.ts';
import { createDatabase, withDatabase } from '../../db/timescale/create-database.ts';
import { isMigrated, migrate, readMigrations } from '../../db/timescale/migrate.ts';
import { serverUrl } from '../support/database.ts';

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

  it('are applied once when twenty processes migrate at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => migrate(url)));
    const names = readMigrations().map(({ name }) => name);
    expect(results.flatMap(({ applied }) => applied)).to.deep.equal(names);
    expect(results.map(({ current }) => current)).to.deep.equal(Array(20).fill(names.at(-1)));
  });

  it('leave nothing of a migration that fails, and go on from there', async () => {
    const [first, ...others] = readMigrations();
    const broken = { name: '0002-broken', sql: 'create table half (id integer); select no_such_column;' };
    const error = await migrate(url, first === undefined ? [] : [first, broken]).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(pg.DatabaseError);
    expect(
      await query(url, `select to_regclass('half') as half, count(*) from schema_migrations`),
    ).to.deep.equal([{ half: null, count: 1 }]);
    expect((await migrate(url)).applied).to.deep.equal(others.map(({ name }) => name));
  });

  it('refuse a database that a newer version has migrated', async () => {
    await migrate(url);
    await query(url, `insert into schema_migrations (name) values ('9999-later')`);
    const error = await migrate(url).catch((e: unknown) => e);
    expect(error).to.have.property('code', 'conflict');
    expect(error).to.have.property('message').that.includes('9999-later');
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

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connectionConfig(url));
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
