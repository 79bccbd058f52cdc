import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { useDatabase } from '../../support/database.ts';

const BRIEF = { isBrief: true, signal: undefined };

describe('lists through the door', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openOrganizationDoor(database.url, { max: 2 });
    database.beforeDrop(() => door.end());
  });

  const NAMES = sql.type(rowsOf<{ name: string }>())`
    select name from pg_prepared_statements where name like 'composed-%'`;
  const numbered = (number: number, lists = door) =>
    lists
      .of(1)
      .listing(BRIEF)
      .one(
        sql.type(
          rowsOf<{ value: number }>(),
        )`select ${number}::integer as ${sql.identifier([`value${number}`])}`,
      );

  it('are prepared once for each text that is composed', async () => {
    const list = door.of(1).listing(BRIEF);
    const before = await list.any(NAMES);
    await list.any(NAMES);
    expect(before).to.have.length(1);
    expect(await list.any(NAMES)).to.deep.equal(before);
  });

  it('stay within what a connection keeps prepared, and work when they come again', async () => {
    for (let number = 0; number < 120; number++) {
      expect(await numbered(number)).to.deep.equal({ [`value${number}`]: number });
    }
    expect(await door.of(1).listing(BRIEF).any(NAMES)).to.have.length.within(40, 50);
    const again = await Promise.all(Array.from({ length: 120 }, (_, number) => numbered(number)));
    expect(again).to.deep.equal(Array.from({ length: 120 }, (_, number) => ({ [`value${number}`]: number })));
  });

  it('are planned once for all values, whatever rows these have PostgreSQL expect', async () => {
    const list = door.of(1).listing(BRIEF);
    for (let times = 0; times < 10; times++) {
      await list.any(sql.type(rowsOf<object>())`select from generate_series(1, ${1}::integer) as found`);
    }
    const planned = sql.type(rowsOf<{ generic_plans: number; custom_plans: number }>())`
      select generic_plans, custom_plans from pg_prepared_statements where statement like '% as found'`;
    expect(await list.one(planned)).to.deep.equal({ generic_plans: 10, custom_plans: 0 });
  });

  it('that count as look-ups travel together, however many, and whatever other lists took', async () => {
    const wide = openOrganizationDoor(database.url, { max: 10 });
    database.beforeDrop(() => wide.end());
    const pids = async (count: number, lookUps?: number) => {
      const list = wide.of(1).listing({ ...BRIEF, lookUps });
      const pid = sql.type(rowsOf<{ pid: number }>())`select pg_backend_pid() as pid`;
      const rows = await Promise.all(Array.from({ length: count }, () => list.one(pid)));
      return new Set(rows.map((row) => row.pid));
    };
    // Until no more connections are opened.
    await pids(5);
    const shared = await pids(400, 1);
    expect(shared).to.have.length(5);
    expect(await pids(8, 1)).to.have.length(1);
    expect(await pids(8, 4)).to.have.length(4);
    expect(await pids(400, 1)).to.deep.equal(shared);
    const slow = sql.type(rowsOf<{ slept: number }>())`
      select 1 as slept from (select pg_sleep(0.3) offset 0) slept`;
    await wide.of(1).listing(BRIEF).one(slow);
    expect(shared).not.to.include([...(await pids(1))][0]);
    expect(shared).to.include([...(await pids(1, 1))][0]);
  });

  it('leave a connection to look-ups, however many of them there are and whatever they take', async () => {
    const wide = openOrganizationDoor(database.url, { max: 10 });
    database.beforeDrop(() => wide.end());
    const pid = rowsOf<{ pid: number }>();
    const lists = (orgId: number) =>
      Array.from({ length: 5 }, () =>
        wide
          .of(orgId)
          .listing(BRIEF)
          .one(sql.type(pid)`select pg_backend_pid() as pid from (select pg_sleep(0.05) offset 0) slept`),
      );
    // Two organizations have ten at once.
    const listing = Promise.all([...lists(11), ...lists(12)]);
    const lookUp = () => wide.of(13).one(sql.prepared('look-up-pid', pid)`select pg_backend_pid() as pid`);
    const looked = [await lookUp(), await lookUp()];
    const busy = new Set((await listing).map((row) => row.pid));
    expect(busy).to.have.length.within(1, 4);
    expect(looked.filter((row) => busy.has(row.pid))).to.deep.equal([]);
    const again = new Set((await Promise.all([...lists(14), ...lists(15)])).map((row) => row.pid));
    expect(again).to.have.length.within(1, 4);
    expect(again).not.to.include((await lookUp()).pid);
  });

  it('that were long for brief ones go one at a time as well when they are brief again', async () => {
    const wide = openOrganizationDoor(database.url, { max: 10 });
    database.beforeDrop(() => wide.end());
    const list = wide.of(5).listing(BRIEF);
    const backend = rowsOf<{ pid: number; timeout: string }>();
    // Slow among look-ups only, so that it is not remembered as long.
    const flapping = sql.type(backend)`
      select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout
      from (
        select case current_setting('statement_timeout') when '100ms' then pg_sleep(0.3) end offset 0
      ) slept`;
    await Promise.all(Array.from({ length: 5 }, () => list.one(flapping)));
    const slow = sql.type(backend)`
      select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout
      from (select pg_sleep(0.02) offset 0) slept`;
    const rows = await Promise.all(Array.from({ length: 5 }, () => list.one(slow)));
    expect(new Set(rows.map(({ timeout }) => timeout))).to.deep.equal(new Set(['100ms']));
    expect(new Set(rows.map(({ pid }) => pid)).size).to.equal(1);
  });

  it('that take long for brief ones go one at a time, until one of them does not', async () => {
    const wide = openOrganizationDoor(database.url, { max: 10 });
    database.beforeDrop(() => wide.end());
    const list = wide.of(4).listing(BRIEF);
    const pids = async (seconds: number, count: number) => {
      const each = sql.type(rowsOf<{ pid: number }>())`
        select pg_backend_pid() as pid from (select pg_sleep(${seconds}) offset 0) slept`;
      const rows = await Promise.all(Array.from({ length: count }, () => list.one(each)));
      return new Set(rows.slice(-5).map(({ pid }) => pid)).size;
    };
    const HEAVY = 0.02;
    // So do those that wait already: the last five of many.
    expect(await pids(HEAVY, 25)).to.equal(1);
    // Each is sent to a connection that has nothing to do, the same one whenever there is nothing else.
    expect(await pids(HEAVY, 5)).to.equal(1);
    do {
      await pids(0, 1);
    } while ((await pids(HEAVY, 5)) === 1);
  });

  it('that were slow once only are not taken to be long', async () => {
    await database.rows('create sequence slow_once');
    await database.rows('grant usage on sequence slow_once to tagtrail_api');
    const list = door.of(3).listing(BRIEF);
    const backend = rowsOf<{ pid: number }>();
    const pid = sql.type(backend)`select pg_backend_pid() as pid`;
    const { pid: shared } = await list.one(pid);
    const slowOnce = sql.type(backend)`
      select pg_backend_pid() as pid, case when nextval('slow_once') = 1 then pg_sleep(0.3) end is null as slept`;
    expect(await list.one(slowOnce)).not.to.have.property('pid', shared);
    // On a busy machine it may have been slow again; that it was quick once is enough, well before it would be forgotten.
    for (let tries = 1; (await list.one(pid)).pid !== shared; tries++) {
      expect(tries).to.be.below(50);
      await list.one(slowOnce);
    }
  });

  it('wait for their turn longer than one may run', async () => {
    const impatient = openOrganizationDoor(database.url, { max: 2, scanTimeout: 2_000 });
    database.beforeDrop(() => impatient.end());
    const slow = sql.type(rowsOf<{ slept: number }>())`
      select 1 as slept from (select pg_sleep(0.5) offset 0) slept`;
    const list = impatient.of(1).listing({ isBrief: false, signal: undefined });
    const all = await Promise.all(Array.from({ length: 10 }, () => list.one(slow)));
    expect(all).to.deep.equal(Array.from({ length: 10 }, () => ({ slept: 1 })));
  });

  it('that turn out to be long go on elsewhere, and look-ups do not wait for them', async () => {
    const backend = rowsOf<{ pid: number; timeout: string }>();
    const slow = sql.type(backend)`
      select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout
      from (select pg_sleep(0.3) offset 0) slept`;
    const { pid } = await door.of(1).one(sql.type(backend)`select pg_backend_pid() as pid, '' as timeout`);
    const long = await door.of(1).listing(BRIEF).one(slow);
    expect(long.pid).not.to.equal(pid);
    expect(long.timeout).to.equal('10s');
    // From then on at once.
    const next = sql.type(backend)`select pg_backend_pid() as pid, 'x' as timeout`;
    expect(await door.of(1).listing(BRIEF).one(next)).to.have.property('pid', long.pid);
    expect(await door.of(2).listing(BRIEF).one(next)).to.have.property('pid', pid);
  });
});
