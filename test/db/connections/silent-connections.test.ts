import { expect } from 'chai';
import { addressOf } from '../../../db/timescale/connections/addresses.ts';
import { createRequestPool } from '../../../db/timescale/connections/pool.ts';
import { useDatabase } from '../../support/database.ts';
import { Link, targetOf } from '../../support/link.ts';
import { runPgBouncer, usePgBouncer } from '../../support/pgbouncer.ts';

/** Seconds: longer than a connection may be silent before the database is asked about it. */
const SLOW = 4;

describe('connections for requests', () => {
  const database = useDatabase();

  it('are left alone while the database works on a statement, and ended once it cannot answer', async () => {
    const link = await Link.open(targetOf(database.url));
    database.beforeDrop(() => link.close());
    const pool = createRequestPool(link.by(database.url), { max: 2, applicationName: 'silent' });
    database.beforeDrop(() => pool.end());
    const done = (seconds: number) =>
      pool.query<{ done: string }>(`select 'done' as done from pg_sleep(${seconds})`);
    expect((await done(SLOW)).rows).to.deep.equal([{ done: 'done' }]);
    const unheard = pool.query('select pg_sleep(1)').then(
      () => 'answered',
      () => 'ended',
    );
    link.abandon();
    expect(
      await Promise.race([unheard, database.rows('select pg_sleep(20)').then(() => 'waiting')]),
    ).to.equal('ended');
    expect((await done(0)).rows).to.deep.equal([{ done: 'done' }]);
  });
});

describe('connections for requests through a pooler', () => {
  usePgBouncer();
  const database = useDatabase();

  /** @param direct leads to PostgreSQL, for the pooler too. */
  async function poolOver(direct: string, max: number) {
    const pooler = await runPgBouncer(direct, ['pool_mode = transaction', 'default_pool_size = 1']);
    database.beforeDrop(pooler.stop);
    const address = addressOf({ direct, pooled: pooler.url });
    const pool = createRequestPool(address, { max, applicationName: 'silent' });
    database.beforeDrop(() => pool.end());
    return pool;
  }

  it('are ended once PostgreSQL hangs behind one that answers, and left alone while they wait in its queue', async () => {
    const link = await Link.open(targetOf(database.url));
    database.beforeDrop(() => link.close());
    const [hanging, busy] = await Promise.all([
      poolOver(link.by(database.url), 1),
      poolOver(database.url, 3),
    ]);
    await hanging.query('select 1');
    link.stall();
    const unheard = hanging.query('select 1').then(
      () => 'answered',
      () => 'ended',
    );
    const slow = Array.from({ length: 3 }, () =>
      busy.query<{ done: string }>(`select 'done' as done from pg_sleep(2.5)`),
    );
    const limit = database.rows('select pg_sleep(20)').then(() => 'waiting');
    const [, ...answers] = await Promise.all([
      Promise.race([unheard, limit]).then((how) => expect(how).to.equal('ended')),
      ...slow,
    ]);
    expect(answers.map(({ rows }) => rows)).to.deep.equal(Array(3).fill([{ done: 'done' }]));
    link.mend();
    await hanging.query('select 1').catch(() => hanging.query('select 1'));
  });
});
