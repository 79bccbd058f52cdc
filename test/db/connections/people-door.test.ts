import { expect } from 'chai';
import { openPeopleDoor, type PeopleDoor } from '../../../db/timescale/connections/people-door.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import { useDatabase } from '../../support/database.ts';

describe('the door to the tables of people', () => {
  const database = useDatabase();
  let door: PeopleDoor;

  before(() => {
    door = openPeopleDoor(database.url, { max: 2 });
    database.beforeDrop(() => door.end());
  });

  it('gives up waiting for the lock of a first statement, and tries again', async () => {
    const client = await database.pool.connect();
    const { promise: again, resolve: triedAgain } = Promise.withResolvers<void>();
    let attempts = 0;
    try {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock(1, 1)');
      const changing = door.of(1).transaction((db) => {
        attempts += 1;
        if (attempts === 2) {
          triedAgain();
        }
        return db.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock(1, 1)`);
      });
      await again;
      await client.query('rollback');
      await changing;
    } finally {
      client.release();
    }
    expect(attempts).to.be.at.least(2);
  });
});
