import { expect } from 'chai';
import pg from 'pg';
import { openAccessDoor } from '../../../db/timescale/connections/access-door.ts';
import { openOrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { useDatabase } from '../../support/database.ts';
import { Link, targetOf } from '../../support/link.ts';
import { Site } from '../../support/site.ts';

/** Milliseconds. */
const PATIENCE = { statement: 400, answer: 600 };

describe('the connections of a service', () => {
  const database = useDatabase();
  let site: Site;
  let link: Link;
  before(async () => {
    site = await Site.create(database);
    link = await Link.open(targetOf(database.url));
    database.beforeDrop(() => link.close());
  });

  const ONE = sql.type(rowsOf<{ one: number }>())`select 1 as one`;
  const connections = () => ({ max: 4, applicationName: 'patient', patience: PATIENCE });
  const kinds: [string, () => { work(): Promise<unknown>; end(): Promise<unknown> }][] = [
    [
      'for recording',
      () => {
        const pool = createWritePool(link.by(database.url), connections());
        return {
          work: () => inTransaction(pool, (client) => client.query('select 1 as one')),
          end: () => pool.end(),
        };
      },
    ],
    [
      'of requests',
      () => {
        const door = openOrganizationDoor(link.by(database.url), connections());
        return { work: () => door.of(site.orgId).one(ONE), end: () => door.end() };
      },
    ],
    [
      'of changes',
      () => {
        const door = openOrganizationDoor(link.by(database.url), connections());
        return {
          work: () => door.of(site.orgId).transaction((transaction) => transaction.one(ONE)),
          end: () => door.end(),
        };
      },
    ],
    [
      'for credentials',
      () => {
        const door = openAccessDoor(link.by(database.url), connections());
        return { work: () => door.one(ONE), end: () => door.end() };
      },
    ],
  ];
  for (const [kind, open] of kinds) {
    describe(kind, () => {
      it('give up a database that vanished without a word, and find the one in its place', async () => {
        const { work, end } = open();
        await Promise.all([work(), work(), work()]);
        link.abandon();
        const results = await Promise.allSettled(Array.from({ length: 10 }, work));
        expect(results.map(({ status }) => status)).to.include('rejected');
        // What is asked right then may still go to another connection that is about to be given up.
        const again = await Promise.allSettled(Array.from({ length: 10 }, work));
        expect(again.map(({ status }) => status)).to.include('fulfilled');
        expect(await Promise.all([work(), work(), work()])).to.have.length(3);
        await end();
      });
    });
  }

  it('have a statement given up that takes too long, and go on', async () => {
    const pool = createWritePool(database.url, connections());
    const error = await pool.query('select pg_sleep(60)').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(pg.DatabaseError).and.to.have.property('code', '57014');
    expect((await pool.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    await pool.end();
  });

  it('wait for a statement as long as it takes where that is asked for', async () => {
    const pool = createWritePool(database.url, { max: 1, patience: null });
    const { rows } = await pool.query('show statement_timeout');
    expect(rows).to.deep.equal([{ statement_timeout: '0' }]);
    await pool.end();
  });
});
