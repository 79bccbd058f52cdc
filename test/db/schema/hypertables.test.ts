import { expect } from 'chai';
import type { PoolClient } from '../../../db/timescale/connections/client.ts';
import { makeChunksAhead } from '../../../db/timescale/schema/retention.ts';
import { useDatabase } from '../../support/database.ts';

describe('scans, transitions, moves and readings', () => {
  const database = useDatabase();

  it('are hypertables where the server has TimescaleDB, and ordinary tables where it has not', async () => {
    const extension = await database.rows(`select from pg_extension where extname = 'timescaledb'`);
    const isRequired = process.env['TEST_REQUIRE_TIMESCALEDB'] === '1';
    expect(extension.length === 1 || !isRequired, 'TimescaleDB is required here').to.equal(true);
    const hypertables =
      extension.length === 0
        ? []
        : await database.rows(
            `select hypertable_name as name, column_name as by, time_interval::text as interval
             from timescaledb_information.dimensions order by hypertable_name`,
          );
    expect(hypertables).to.deep.equal(
      extension.length === 0
        ? []
        : [
            { name: 'location_transitions', by: 'observed_at', interval: '30 days' },
            { name: 'moves', by: 'sealed_at', interval: '30 days' },
            { name: 'scan_events', by: 'observed_at', interval: '1 day' },
            { name: 'tag_readings', by: 'observed_at', interval: '1 day' },
          ],
    );
  });

  it('let organizations write at once what is the first of a day', async () => {
    await makeChunksAhead(database.pool);
    const [one, other] = [await database.pool.connect(), await database.pool.connect()];
    const store = async (client: PoolClient, orgId: number) => {
      const values = `values (${orgId}, 1, 1, now() + interval '2 hours'`;
      await client.query(`begin; set local lock_timeout = '5s'; set local tagtrail.keeps_marks = 'on';
        insert into tag_readings (org_id, asset_id, tag_id, observed_at) ${values});
        insert into location_transitions (org_id, asset_id, location_id, observed_at) ${values});
        insert into scan_events
          (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, reader_id, antenna)
          ${values}, now(), true, 'rfid', 'E1', 1, 1)`);
    };
    try {
      await store(one, 1);
      await store(other, 2);
    } finally {
      for (const client of [one, other]) {
        await client.query('rollback');
        client.release();
      }
    }
    const kept =
      'select from scan_events union all select from location_transitions union all select from tag_readings';
    expect(await database.rows(kept)).to.deep.equal([]);
  });

  it('refer to nothing by foreign keys', async () => {
    const keys = await database.rows(
      `select conname from pg_constraint
       where contype = 'f' and conrelid in
         ('scan_events'::regclass, 'location_transitions'::regclass, 'moves'::regclass, 'tag_readings'::regclass)`,
    );
    expect(keys).to.deep.equal([]);
  });
});
