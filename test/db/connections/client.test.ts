import { expect } from 'chai';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { useDatabase } from '../../support/database.ts';
import { until } from '../../support/subscribed-ingest.ts';

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

describe('a long answer', () => {
  const database = useDatabase();

  it('is read a piece at a time, and others have the loop in between', async () => {
    const client = new Client(connectionConfig(database.url, 'tagtrail long'));
    await client.connect();
    const { stream } = client.connection;
    stream.pause();
    const asked = client.query(`select repeat('x', 1000) from generate_series(1, 20000)`);
    // Everything that the operating system holds can be read at once.
    await until(async () => {
      const waiting = await database.rows(
        `select from pg_stat_activity where application_name = 'tagtrail long' and wait_event = 'ClientWrite'`,
      );
      return waiting.length > 0;
    });
    let [inTurn, most] = [0, 0];
    stream.on('data', ({ length }: Buffer) => {
      if (inTurn === 0) {
        setImmediate(() => {
          inTurn = 0;
        });
      }
      inTurn += length;
      most = Math.max(most, inTurn);
    });
    stream.resume();
    expect((await asked).rows).to.have.length(20_000);
    await client.end();
    // The piece that was read before the pause, and the next.
    expect(most).to.be.at.most(2 * 65_536);
  });
});
