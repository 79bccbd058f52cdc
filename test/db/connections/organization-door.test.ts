import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import type { GroupedWrite } from '../../../db/timescale/connections/grouped-writes.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('the door to the tables of organizations', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  let ours: Site;
  let theirs: Site;

  before(async () => {
    ours = await Site.create(database, 'Ours');
    theirs = await Site.create(database, 'Theirs');
    await ours.asset('OUR-ASSET');
    await theirs.asset('THEIR-ASSET');
    door = openOrganizationDoor(database.url, { max: 4 });
    database.beforeDrop(() => door.end());
  });

  const keyRow = rowsOf<{ external_key: string }>();
  const KEYS = sql.type(keyRow)`select external_key from assets order by external_key`;
  const keys = async (orgId: number) => (await door.of(orgId).any(KEYS)).map((row) => row.external_key);

  it('shows a query that forgets its organization nothing but that organization', async () => {
    expect(await keys(ours.orgId)).to.deep.equal(['OUR-ASSET']);
    expect(await keys(theirs.orgId)).to.deep.equal(['THEIR-ASSET']);
    expect(await keys(999_999)).to.deep.equal([]);
  });

  it('never mixes organizations up, however many ask at once', async () => {
    const asked = Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? ours : theirs));
    const answers = await Promise.all(
      asked.map(async ({ orgId }, index) =>
        index % 7 === 0
          ? door.of(orgId).transaction((transaction) => transaction.any(KEYS))
          : door.of(orgId).any(KEYS),
      ),
    );
    answers.forEach((rows, index) => {
      const expected = asked[index] === ours ? 'OUR-ASSET' : 'THEIR-ASSET';
      expect(rows).to.deep.equal([{ external_key: expected }]);
    });
  });

  it('lets nobody write into another organization', async () => {
    const stray = sql.type(keyRow)`
      insert into assets (org_id, external_key, name) values (${theirs.orgId}, 'STRAY', 'stray') returning external_key`;
    const error = await door
      .of(ours.orgId)
      .any(stray)
      .catch((e: unknown) => e);
    expect(error).to.be.instanceOf(pg.DatabaseError).and.to.have.property('code', '42501');
    const moved = await door.of(ours.orgId).any(sql.type(keyRow)`
      update assets set name = 'seized' where external_key = 'THEIR-ASSET' returning external_key`);
    expect(moved).to.deep.equal([]);
  });

  it('keeps a failed statement to itself', async () => {
    const failing = door
      .of(ours.orgId)
      .any(sql.type(keyRow)`select 1 / 0`)
      .catch((e: unknown) => e);
    const fine = door.of(theirs.orgId).any(KEYS);
    expect(await failing).to.have.property('code', '22012');
    expect(await fine).to.deep.equal([{ external_key: 'THEIR-ASSET' }]);
  });

  it('runs a grouped write and the statement before it as one transaction of one organization', async () => {
    const { orgId } = ours;
    type Name = { name: string };
    const renaming = (query: RowQuery<Name>): GroupedWrite<string, Name, string> => ({
      namesOf: () => [],
      first: (_, [name = '']) => sql.prepared('rename', NO_ROWS)`
        update assets set name = ${name} where org_id = ${String(orgId)}::integer and external_key = 'OUR-ASSET'`,
      query: () => query,
      outcomeOf: ({ name }) => name,
    });
    const names = sql.type(rowsOf<Name>())`select name from assets`;
    const failing = sql.type(rowsOf<Name>())`select 1 / length(name) * 0 / 0 from assets`;
    for (const name of ['First', 'Second']) {
      expect(await door.of(orgId).grouped(renaming(names), name)).to.equal(name);
      expect(await door.of(orgId).any(names)).to.deep.equal([{ name }]);
    }
    const failed = door.of(orgId).grouped(renaming(failing), 'Third');
    expect(await failed.catch((error: unknown) => error)).to.have.property('code', '22012');
    expect(await door.of(orgId).any(names)).to.deep.equal([{ name: 'Second' }]);
    expect(await door.of(theirs.orgId).grouped(renaming(names), 'Seized')).not.to.equal('Seized');
    expect(await door.of(orgId).any(names)).to.deep.equal([{ name: 'Second' }]);
  });

  it('undoes a transaction that fails', async () => {
    const error = await door
      .of(ours.orgId)
      .transaction(async (transaction) => {
        await transaction.any(sql.type(keyRow)`
          insert into assets (org_id, external_key, name) values (${ours.orgId}, 'HALF', 'half') returning external_key`);
        throw new RangeError('no');
      })
      .catch((e: unknown) => e);
    expect(error).to.have.property('message', 'no');
    expect(await keys(ours.orgId)).to.deep.equal(['OUR-ASSET']);
  });

  it('sends short statements of one turn together, and none behind a long one', async () => {
    const wide = openOrganizationDoor(database.url, { max: 8 });
    database.beforeDrop(() => wide.end());
    const db = wide.of(ours.orgId);
    const backend = rowsOf<{ pid: number }>();
    const short = () => db.one(sql.prepared('short', backend)`select pg_backend_pid() as pid`);
    const long = () =>
      db.one(sql.type(backend)`select pg_backend_pid() as pid from (select pg_sleep(1) offset 0) slept`);
    // Two at once open two connections.
    await Promise.all([long(), long()]);

    const done: string[] = [];
    const together = (await Promise.all(Array.from({ length: 5 }, short))).map(({ pid }) => pid);
    expect(new Set(together)).to.have.length(1);
    const slow = long().then(({ pid }) => {
      done.push('long');
      return pid;
    });
    const beside = Array.from({ length: 5 }, async () => {
      const { pid } = await short();
      done.push('short');
      return pid;
    });
    expect(await Promise.all(beside)).not.to.include(await slow);
    expect(done).to.deep.equal([...Array<string>(5).fill('short'), 'long']);
  });

  it('holds up nobody else when an organization waits for its own locks', async () => {
    const narrow = openOrganizationDoor(database.url, { max: 4 });
    const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lock = sql.type(
      keyRow,
    )`select external_key from assets where external_key = 'OUR-ASSET' for update`;
    const holder = door.of(ours.orgId).transaction(async (transaction) => {
      await transaction.any(lock);
      held.resolve();
      await free.promise;
    });
    await held.promise;
    const waiting = Array.from({ length: 4 }, () =>
      narrow.of(ours.orgId).transaction((transaction) => transaction.any(lock)),
    );
    const theirKeys = await narrow.of(theirs.orgId).transaction((transaction) => transaction.any(KEYS));
    expect(theirKeys).to.deep.equal([{ external_key: 'THEIR-ASSET' }]);
    free.resolve();
    expect(await Promise.all(waiting)).to.deep.equal(Array(4).fill([{ external_key: 'OUR-ASSET' }]));
    await holder;
    await narrow.end();
  });

  it('holds up nobody else when as many organizations as it has connections wait for their own locks', async () => {
    const third = await Site.create(database, 'Third');
    const narrow = openOrganizationDoor(database.url, { max: 4 });
    const free = Promise.withResolvers<void>();
    const lock = sql.type(keyRow)`select external_key from assets for update`;
    const holders = [ours, theirs].map(async ({ orgId }) => {
      const held = Promise.withResolvers<void>();
      const holding = door.of(orgId).transaction(async (transaction) => {
        await transaction.any(lock);
        held.resolve();
        await free.promise;
      });
      await held.promise;
      return { holding };
    });
    const held = await Promise.all(holders);
    const waiting = [ours, theirs].flatMap(({ orgId }) =>
      Array.from({ length: 3 }, () => narrow.of(orgId).transaction((transaction) => transaction.any(lock))),
    );
    expect(await narrow.of(third.orgId).transaction((transaction) => transaction.any(KEYS))).to.deep.equal(
      [],
    );
    free.resolve();
    expect(await Promise.all(waiting)).to.have.length(6);
    await Promise.all(held.map(({ holding }) => holding));
    await narrow.end();
  });

  it('leaves a connection to a third organization while two have transactions that take long', async () => {
    const third = await Site.create(database, 'Third of three');
    const wide = openOrganizationDoor(database.url, { max: 10 });
    const free = Promise.withResolvers<void>();
    const long = [ours, theirs].flatMap(({ orgId }) =>
      Array.from({ length: 5 }, () => wide.of(orgId).longTransaction(() => free.promise)),
    );
    const writing = () => wide.of(third.orgId).transaction((transaction) => transaction.any(KEYS));
    expect(await writing()).to.deep.equal([]);
    expect(await writing()).to.deep.equal([]);
    free.resolve();
    expect(await Promise.all(long)).to.have.length(10);
    await wide.end();
  });

  it('connects again after its connections were cut', async () => {
    await database.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'tagtrail'`,
    );
    // A statement that was under way on a cut connection fails; none may hang, and none after that may fail.
    let answer: unknown;
    while (answer === undefined) {
      answer = await keys(ours.orgId).catch(() => undefined);
    }
    expect(answer).to.deep.equal(['OUR-ASSET']);
  });

  it("gives no way to raw scans, to readers' passwords, or to delete master data", async () => {
    for (const query of [
      sql.type(keyRow)`select * from scan_events`,
      sql.type(keyRow)`select * from public.tag_readings`,
      sql.type(keyRow)`select * from readers`,
      sql.type(keyRow)`delete from assets`,
      sql.type(keyRow)`alter table assets disable row level security`,
    ]) {
      const error = await door
        .of(ours.orgId)
        .any(query)
        .catch((e: unknown) => e);
      expect(error).to.have.property('code', '42501');
    }
  });

  it('is a role that owns nothing and cannot bypass the policies, on every tenant table', async () => {
    const [role] = await database.rows(
      `select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole,
         (select count(*) from pg_class where relowner = pg_roles.oid) as owned
       from pg_roles where rolname = 'tagtrail_api'`,
    );
    expect(role).to.deep.equal({
      rolsuper: false,
      rolbypassrls: false,
      rolcanlogin: false,
      rolcreaterole: false,
      owned: 0,
    });
    const open = await database.rows<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and not (relrowsecurity and relforcerowsecurity)
         and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'org_id')
         and has_table_privilege('tagtrail_api', pg_class.oid, 'select')`,
    );
    expect(open).to.deep.equal([]);
  });

  it("holds for the tables' owner too, unless it is a member of the service role", async () => {
    const owner = `owner_${process.pid}`;
    await database.rows(`create role ${owner} nologin; grant select on assets to ${owner}`);
    const client = new pg.Client(connectionConfig(database.url, 'test', owner));
    await client.connect();
    expect((await client.query('select from assets')).rowCount).to.equal(0);
    await database.rows(`grant tagtrail_service to ${owner}`);
    expect((await client.query('select from assets')).rowCount).to.equal(2);
    await client.end();
    await database.rows(`drop owned by ${owner}; drop role ${owner}`);
  });
});
