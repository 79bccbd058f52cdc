import { expect } from 'chai';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { useDatabase } from '../../support/database.ts';

describe('a connection that is lost while nothing is asked', () => {
  const database = useDatabase();

  it('fails the next query, and the process goes on', async () => {
    const client = new Client(connectionConfig(database.url, 'tagtrail lost'));
    await client.connect();
    const ended = new Promise((resolve) => client.once('end', resolve));
    await database.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'tagtrail lost' and datname = current_database()`,
    );
    await ended;
    expect(await client.query('select 1').catch((error) => error)).to.be.an('error');
  });
});
