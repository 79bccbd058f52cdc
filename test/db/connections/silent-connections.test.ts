import { expect } from 'chai';
import { createRequestPool } from '../../../db/timescale/connections/pool.ts';
import { useDatabase } from '../../support/database.ts';
import { Link, targetOf } from '../../support/link.ts';

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
