import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startRetention } from '../../../platform/runtime/start-retention.ts';
import { useDatabase } from '../../support/database.ts';

const WAITING = `select 1 from pg_stat_activity
  where datname = current_database() and application_name = 'tagtrail retention' and wait_event_type = 'Lock'`;

describe('retention', () => {
  const database = useDatabase();

  it('ends at once when the process stops, though it waits for a lock', async () => {
    const blocker = await database.pool.connect();
    await blocker.query('begin; lock table scan_events in access exclusive mode');
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    await startRetention(
      {
        DATABASE_URL: database.url,
        SCAN_RETENTION_DAYS: 90,
        MOVES_RETENTION_DAYS: 90,
        ADDRESS_RETENTION_DAYS: 90,
      },
      { log, lifecycle },
    );
    while ((await database.rows(WAITING)).length === 0) {
      await pause(20);
    }
    await lifecycle.stop();
    // The lock is still held, so nothing but that has ended it.
    await blocker.query('rollback');
    blocker.release();
    expect(await database.rows(WAITING)).to.deep.equal([]);
  });
});
