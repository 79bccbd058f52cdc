import { expect } from 'chai';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { useDatabase } from '../../support/database.ts';

describe('the pool of the write path', () => {
  const database = useDatabase();

  it('outlives the loss of a connection that is in use, but between two statements', async () => {
    const pool = createWritePool(database.url, { max: 1 });
    const client = await pool.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await database.rows('select pg_terminate_backend($1)', [rows[0].pid]);
    await ended;
    const error = await client.query('select').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    client.release(true);
    expect((await pool.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    await pool.end();
  });

  it('does not let a transaction whose sender is gone hold its rows for long', async () => {
    const pool = createWritePool(database.url, { max: 1 });
    const { rows } = await pool.query('show idle_in_transaction_session_timeout');
    await pool.end();
    expect(rows).to.deep.equal([{ idle_in_transaction_session_timeout: '30s' }]);
  });
});
