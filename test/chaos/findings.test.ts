import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { type Faults, NO_FAULTS } from './findings.ts';
import { Scenario } from './scenario.ts';

/** What is done to the stored rows, and what must be found; each is undone before the next. */
const DAMAGES: { damage: string; sql: string; found: Partial<Faults> }[] = [
  {
    damage: 'a read that is gone',
    sql: `delete from scan_events where rssi = (select max(rssi) from scan_events where not time_is_received)`,
    found: { missing: 1 },
  },
  {
    damage: 'a read without a time that is stored twice',
    sql: `insert into scan_events select org_id, asset_id, location_id, observed_at + interval '1 second', received_at,
        time_is_received, tag_type, tag_value, rssi, reader_id, antenna
      from scan_events where time_is_received order by rssi limit 1`,
    found: { doubled: 1 },
  },
  {
    damage: 'a read at another place',
    sql: `update scan_events set location_id = (select max(id) from locations)
      where rssi = (select max(rssi) from scan_events where not time_is_received)`,
    found: { altered: 1 },
  },
  {
    damage: 'a transition that is gone',
    sql: `delete from location_transitions where (asset_id, observed_at) =
      (select asset_id, observed_at from location_transitions order by observed_at desc limit 1)`,
    found: { wrongTransitions: 1 },
  },
  {
    damage: 'a wrong duration',
    sql: `update location_transitions set duration_seconds = duration_seconds + 1 where (asset_id, observed_at) =
      (select asset_id, observed_at from location_transitions order by observed_at desc limit 1)`,
    found: { wrongTransitions: 2 },
  },
  {
    damage: 'a position that lags',
    sql: `update positions set last_seen = last_seen - interval '1 microsecond'
      where asset_id = (select min(asset_id) from positions)`,
    found: { wrongPositions: 1 },
  },
  {
    damage: 'a rejected message that is not kept',
    sql: `delete from rejected_messages where id = (select min(id) from rejected_messages)`,
    found: { wrongRejections: 1 },
  },
  {
    damage: 'a read that was not counted',
    sql: `update reader_counters set reads = reads - 1, recorded = recorded - 1
      where reader_id = (select min(reader_id) from reader_counters)`,
    found: { wrongCounters: 1 },
  },
];

describe('the search for faults', function () {
  this.timeout(120_000);
  const database = useDatabase();
  let scenario: Scenario;

  before(async () => {
    scenario = await Scenario.start(database, {
      source: 'embedded',
      traffic: { messages: 100, undecodableEvery: 20, refusedEvery: 50 },
    });
    await scenario.publish();
    expect((await scenario.finish()).faults).to.deep.equal(NO_FAULTS);
  });
  database.beforeDrop(async () => scenario?.end());

  for (const { damage, sql, found } of DAMAGES) {
    it(`finds ${damage}`, async () => {
      const client = await database.pool.connect();
      try {
        await client.query('begin');
        expect((await client.query(sql)).rowCount).to.equal(1);
        const { faults } = await scenario.findFaults(client);
        expect(faults).to.include(found);
      } finally {
        await client.query('rollback');
        client.release();
      }
    });
  }
});
