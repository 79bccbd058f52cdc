import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { itByNight } from '../support/random-sets.ts';
import { findDeliveryFaults, NO_DELIVERY_FAULTS } from './find-delivery-faults.ts';
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
  {
    damage: 'a row of a history that no event told of',
    sql: `update location_transitions set duration_seconds = duration_seconds + 1 where (asset_id, observed_at) =
      (select asset_id, observed_at from location_transitions order by observed_at desc limit 1)`,
    found: { wrongFolds: 1 },
  },
  {
    damage: 'an event that has no position',
    sql: `insert into unsealed_moves (org_id, asset_id, kind, part, parts, recorded_at)
      select org_id, asset_id, kind, 1, 1, recorded_at from moves where position = 1`,
    found: { untold: 1 },
  },
  {
    damage: 'an event that the consumer and a webhook do not have',
    sql: `insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at)
      select org_id, position + 1, sealed_at, asset_id, 'moved', 1, 1, recorded_at
      from moves order by position desc limit 1`,
    found: { untold: 1, unsent: 1 },
  },
];

/** Of a position; committed, since the report is asked for over the API, and undone. */
const WRONG_REPORTS: { damage: string; set: string }[] = [
  {
    damage: 'an asset that the report says to be elsewhere',
    set: `location_id = (select max(id) from locations where locations.id <> positions.location_id)`,
  },
  { damage: 'an asset that the report leaves out', set: 'location_id = null, since = null' },
];

describe('the search for faults', () => {
  const database = useDatabase();
  let scenario: Scenario;

  before(async () => {
    scenario = await Scenario.start(database, {
      source: 'embedded',
      isTold: true,
      traffic: { messages: 100, undecodableEvery: 20, refusedEvery: 50 },
    });
    await scenario.publish();
    expect((await scenario.finish()).faults).to.deep.equal(NO_FAULTS);
  });
  database.beforeDrop(async () => scenario?.end());

  for (const { damage, sql, found } of DAMAGES) {
    itByNight(`finds ${damage}`, async () => {
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

  for (const { damage, set } of WRONG_REPORTS) {
    itByNight(`finds ${damage}`, async () => {
      const [placed] = await database.rows<{ asset_id: number; location_id: number; since: string }>(
        `select asset_id, location_id, since::text from positions where location_id is not null order by asset_id limit 1`,
      );
      const id = placed?.asset_id;
      expect(
        await database.rows(`update positions set ${set} where asset_id = $1 returning 1`, [id]),
      ).to.have.length(1);
      expect(await findFaults()).to.include({ wrongReports: 1, wrongFolds: 0, untold: 0 });
      await database.rows('update positions set location_id = $2, since = $3 where asset_id = $1', [
        ...[id, placed?.location_id, placed?.since],
      ]);
      expect(await findFaults()).to.deep.equal(NO_FAULTS);
    });
  }

  async function findFaults(): Promise<Faults> {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      return (await scenario.findFaults(client)).faults;
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
});

describe('the search for faults of deliveries', () => {
  it('finds what receivers of webhooks were not sent, sent in the wrong order, or sent without wanting it', () => {
    const wanted = new Map([['/', new Set([1, 2, 3])]]);
    const find = (...requests: [asset: number, position: number][]) =>
      findDeliveryFaults(
        wanted,
        requests.map(([asset, position]) => ({ path: '/', asset, position })),
      );
    expect(find([7, 2], [8, 1], [8, 1], [7, 3])).to.deep.equal(NO_DELIVERY_FAULTS);
    expect(find([7, 1], [7, 2])).to.deep.equal({ ...NO_DELIVERY_FAULTS, unsent: 1 });
    expect(find([7, 1], [7, 2], [7, 1], [7, 3])).to.deep.equal({ ...NO_DELIVERY_FAULTS, wentBack: 1 });
    expect(find([7, 1], [7, 2], [7, 3], [7, 4])).to.deep.equal({ ...NO_DELIVERY_FAULTS, unwanted: 1 });
  });
});
