import { expect } from 'chai';
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

  it('refer to nothing by foreign keys', async () => {
    const keys = await database.rows(
      `select conname from pg_constraint
       where contype = 'f' and conrelid in
         ('scan_events'::regclass, 'location_transitions'::regclass, 'moves'::regclass, 'tag_readings'::regclass)`,
    );
    expect(keys).to.deep.equal([]);
  });
});
