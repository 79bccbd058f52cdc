import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { type DerivingFault, SetAside } from '../../../../domain/alerts/deriving/set-aside.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

describe('an organization whose alerts cannot be derived', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 3_600 * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;

  beforeEach(() => database.rows(`update alert_derivation set derived_at = '-infinity'`));

  /** An asset must not be in the yard. */
  const furnish = async (name: string) => {
    const site = await Site.create(database, name);
    const { orgId } = site;
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader(name, [dock, yard]);
    await site.asset('PALLET', 'E280');
    await createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId, kind: 'not_allowed', locationExternalKey: 'YARD', validFrom: at(0) },
    });
    const read = (locationId: number, second: number) =>
      record(database, [aRead({ orgId, readerId, value: 'E280', locationId, at: at(second) })]);
    return { orgId, dock, yard, read };
  };
  /** Nobody can say when its hours begin. */
  const spoil = (orgId: number, location: number) =>
    database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, location_id, hours, time_zone,
         metadata, mail_to)
       values ($1, lpad('7', 26, '0'), 1, time_of_micros($2), false, 'must_be', 'Bad', $3, 'Mon-Sun 00:00-24:00',
         'Nowhere/Else', '[]', '{}')`,
      [orgId, at(0), location],
    );
  const mend = (orgId: number) =>
    database.rows(
      `update rules set kind = 'dwell', after_seconds = 86400, hours = null, time_zone = null
       where org_id = $1 and name = 'Bad'`,
      [orgId],
    );
  const alertsOf = (orgId: number) =>
    database.rows(
      `select micros_of_time(opened_at) as opened, micros_of_time(closed_at) as closed, state
       from alerts where org_id = $1 order by opened_at`,
      [orgId],
    );
  const asideNow = async () =>
    (await database.rows<{ org_id: number }>('select org_id from alert_faults')).map(({ org_id: id }) => id);

  it('is passed over while others go on, and has lost nothing when it is mended', async () => {
    const [bad, good] = [await furnish('bad'), await furnish('good')];
    const said = { told: [] as number[], faults: [] as DerivingFault[], mended: [] as number[] };
    const process = () =>
      new AlertTurns(database.pool, {
        onTold: (orgIds) => said.told.push(...orgIds),
        onSetAside: (fault) => said.faults.push(fault),
        onMended: (orgId) => said.mended.push(orgId),
      });
    const derive = async (turns: AlertTurns) => {
      await sealAll(database.url);
      while ((await turns.take()) === 'behind') {}
    };
    const first = process();
    await derive(first);
    await spoil(bad.orgId, bad.dock);
    for (const { read, yard } of [bad, good]) {
      await read(yard, 10);
    }
    await derive(first);
    const opened = { opened: at(10), closed: null, state: 'open' };
    expect(await alertsOf(good.orgId)).to.deep.equal([opened]);
    expect(await alertsOf(bad.orgId)).to.deep.equal([]);
    expect(said.told).to.deep.equal([good.orgId]);
    expect(said.faults.map(({ orgId, error }) => [orgId, String(error)])).to.deep.equal([
      [bad.orgId, 'RangeError: Invalid time zone specified: Nowhere/Else'],
    ]);
    expect(await asideNow()).to.deep.equal([bad.orgId]);

    for (const { read, dock, yard } of [bad, good]) {
      await read(dock, 40);
      await read(yard, 70);
      // Late, so that the first was over sooner.
      await read(dock, 20);
    }
    await derive(first);
    expect(said.faults).to.have.lengthOf(1);
    await mend(bad.orgId);
    // The next process tries it at once.
    await database.rows(`update alert_derivation set derived_at = '-infinity'`);
    await derive(process());
    const stretches = [
      { opened: at(10), closed: at(20), state: 'closed' },
      { opened: at(70), closed: null, state: 'open' },
    ];
    expect(await alertsOf(good.orgId)).to.deep.equal(stretches);
    expect(await alertsOf(bad.orgId)).to.deep.equal(stretches);
    expect(said.mended).to.deep.equal([bad.orgId]);
    expect(await asideNow()).to.deep.equal([]);
  });

  it('is tried again ever less often, one of several at a time', async () => {
    const aside = new SetAside();
    const db = databaseOn(database.pool);
    const fail = (orgId: number, now: number) => aside.add(db, { orgId, error: new Error('no') }, at(0), now);
    expect(await fail(1, 0)).to.equal(true);
    expect(await fail(2, 1)).to.equal(true);
    expect([4_999, 5_000, 5_001].map((now) => aside.due(now))).to.deep.equal([null, 1, 1]);
    expect(await fail(1, 5_001)).to.equal(false);
    expect([5_001, 15_001].map((now) => aside.due(now))).to.deep.equal([2, 2]);
    await aside.remove(db, 1);
    let pause = 0;
    for (let failure = 0; failure < 10; failure++) {
      await fail(2, 0);
      pause = [...Array(400).keys()].find((second) => aside.due(second * 1_000) === 2) ?? 0;
    }
    expect(pause).to.equal(300);
    await aside.remove(db, 2);
    expect(await asideNow()).to.deep.equal([]);
  });

  it('is passed over when a statement about it takes too long, and is made up for later', async () => {
    const [slow, other] = [await furnish('slow'), await furnish('other')];
    /** The next process, which gives up sooner. */
    const begin = async () => {
      await sealAll(database.url);
      await database.rows(`update alert_derivation set derived_at = '-infinity'`);
      const said = { setAside: [] as number[], mended: [] as number[] };
      const turns = new AlertTurns(
        database.pool,
        {
          onSetAside: ({ orgId }) => said.setAside.push(orgId),
          onMended: (orgId) => said.mended.push(orgId),
        },
        { statement: 500 },
      );
      while ((await turns.take()) === 'behind') {}
      return said;
    };
    for (const { read, yard } of [slow, other]) {
      await read(yard, 10);
    }
    await begin();
    for (const { read, dock } of [slow, other]) {
      await read(dock, 40);
    }
    const { setAside } = await inTransaction(database.pool, async (transaction) => {
      await transaction.query('select from alerts where org_id = $1 for update', [slow.orgId]);
      return begin();
    });
    expect(setAside).to.deep.equal([slow.orgId]);
    const closed = [{ opened: at(10), closed: at(40), state: 'closed' }];
    expect(await alertsOf(other.orgId)).to.deep.equal(closed);
    expect(await alertsOf(slow.orgId)).to.deep.equal([{ opened: at(10), closed: null, state: 'open' }]);
    expect(await asideNow()).to.deep.equal([slow.orgId]);

    expect((await begin()).mended).to.deep.equal([slow.orgId]);
    expect(await alertsOf(slow.orgId)).to.deep.equal(closed);
    expect(await asideNow()).to.deep.equal([]);
  });

  it('is tried with ever fewer assets', async () => {
    const aside = new SetAside();
    const db = databaseOn(database.pool);
    expect(aside.share(1)).to.equal(Number.POSITIVE_INFINITY);
    const shares: number[] = [];
    for (let failure = 0; failure < 6; failure++) {
      await aside.add(db, { orgId: 1, error: new Error('no') }, at(0), 0);
      shares.push(aside.share(1));
    }
    expect(shares).to.deep.equal([200, 100, 50, 25, 20, 20]);
    await aside.remove(db, 1);
  });

  it('of which very much is to be derived does not delay others', async () => {
    const [much, little] = [await furnish('much'), await furnish('little')];
    const turns = new AlertTurns(database.pool);
    while ((await turns.take()) === 'behind') {}
    await little.read(little.yard, 10);
    await sealAll(database.url);
    await database.rows(
      `insert into alert_revisions (org_id, subject, subject_id, since, is_bulk)
       select $1, 'asset', id, time_of_micros($2), true from generate_series(1000000, 1009999) id`,
      [much.orgId, at(0)],
    );
    expect(await turns.take()).to.equal('behind');
    expect(await alertsOf(little.orgId)).to.have.lengthOf(1);
  });
});
