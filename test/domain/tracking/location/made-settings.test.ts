import { expect } from 'chai';
import { ORGANIZATION_LOCKS } from '../../../../db/timescale/connections/advisory-locks.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { type Connection, verbsOn } from '../../../../db/timescale/queries/verbs.ts';
import { setLocating } from '../../../../domain/administration/locating/set-locating.ts';
import {
  HeavyOrganizations,
  TooHeavy,
  Workload,
} from '../../../../domain/tracking/location/heavy-organizations.ts';
import { readSites } from '../../../../domain/tracking/location/read-site.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { MeasuredClient } from '../../../support/measured-client.ts';
import { Site } from '../../../support/site.ts';
import { until } from '../../../support/subscribed-ingest.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('location settings that are made', () => {
  const database = useDatabase();
  const set = (orgId: number, certainty: number) =>
    setLocating(
      databaseOn(database.pool),
      TEST_ACTOR,
      {
        ...{ orgId, locationExternalKey: null, from: null },
        ...{ procedure: 'strength', certainty, tagDbm: null },
      },
      { retention: 0 },
    );
  const countOf = async (orgId: number) =>
    (await database.rows('select from location_settings where org_id = $1', [orgId])).length;

  it('are made while scans of another organization are recorded, and not while its own are', async () => {
    const { orgId: busy } = await Site.create(database, 'Busy');
    const { orgId: idle } = await Site.create(database, 'Idle');
    let isMade = false;
    const waiting = await inTransaction(database.pool, async (recorder) => {
      await readSites(recorder, [{ orgId: busy }]);
      await set(idle, 1);
      const made = set(busy, 1).then(() => {
        isMade = true;
      });
      await until(async () => {
        const [row] = await database.rows<{ asked: boolean }>(
          `select exists (
             select from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and query like '%xact_lock(%'
           ) as asked`,
        );
        return row?.asked === true;
      });
      // Others that record scans of the organization do not queue behind the change.
      await inTransaction(database.pool, (other) => readSites(other, [{ orgId: busy }, { orgId: idle }]));
      expect(isMade).to.equal(false);
      return { made };
    });
    await waiting.made;
    expect(await countOf(busy)).to.equal(1);
  });

  it('are made while scans of any other organization are recorded, whatever its number', async () => {
    const { orgId: busy } = await Site.create(database, 'Busy');
    await database.rows(`alter sequence organizations_id_seq restart ${busy + 128}`);
    const { orgId: idle } = await Site.create(database, 'Idle');
    expect(idle).to.equal(busy + 128);
    await inTransaction(database.pool, async (recorder) => {
      await readSites(recorder, [{ orgId: busy }]);
      await set(idle, 1);
    });
    expect(await countOf(idle)).to.equal(1);
  });

  it('keep nobody waiting whose scans are in a batch with those of the organization', async () => {
    const { orgId: changing } = await Site.create(database, 'Changing');
    const { orgId: other } = await Site.create(database, 'Other');
    const heavy = new HeavyOrganizations();
    const beside = new Workload(heavy, { isBounded: true });
    await inTransaction(database.pool, async (change) => {
      await change.query('select pg_advisory_xact_lock($1, $2)', [ORGANIZATION_LOCKS.locating, changing]);
      const recorded = inTransaction(database.pool, (recorder) =>
        readSites(recorder, [{ orgId: other }, { orgId: changing }], beside),
      );
      expect(await recorded.catch((error: unknown) => error))
        .to.be.instanceOf(TooHeavy)
        .with.property('orgId', changing);
      await inTransaction(database.pool, (recorder) => readSites(recorder, [{ orgId: other }], beside));
    });
    // Its messages wait in a lane of their own for a while.
    expect([heavy.isHeavy(changing), heavy.isHeavy(other)]).to.deep.equal([true, false]);
  });

  it('are read again by a connection only after something that decides has changed', async () => {
    const site = await Site.create(database, 'Read');
    const { orgId } = site;
    const { orgId: without } = await Site.create(database, 'Without');
    const client = await database.pool.connect();
    const read = async (...locationIds: number[]) => {
      const scans = locationIds.map((locationId) => ({ orgId, locationId }));
      return (await readSites(client, [...scans, { orgId }, { orgId: without }])).get(orgId);
    };
    try {
      expect(await read()).to.equal(undefined);
      await set(orgId, 1);
      const first = await read();
      expect(first?.settings.map(({ setting }) => setting)).to.deep.equal([
        { procedure: 'strength', certainty: 1 },
      ]);
      expect(await read()).to.equal(first);
      await set(orgId, 2);
      const second = await read();
      expect(second?.settings).to.have.length(2);
      const hall = await site.location('HALL');
      const bay = await site.location('BAY', hall);
      expect((await read(bay))?.above(bay)).to.deep.equal([bay, hall]);
    } finally {
      client.release();
    }
  });

  it('do not hide a change of the layout that came while a large site was not read again', async () => {
    const site = await Site.create(database, 'Large');
    const { orgId } = site;
    const readerId = await site.reader('GATE', [await site.location('GATE')]);
    await set(orgId, 1);
    const client = await database.pool.connect();
    const slowly = verbsOn((query) => {
      const end = performance.now() + (query.name === 'read-offsets-of-antennas' ? 60 : 0);
      while (performance.now() < end) {
        // A large plan would take as long.
      }
      return client.query(query);
    });
    const offset = async () => (await readSites(slowly, [{ orgId }])).get(orgId)?.offsetOf(readerId, 1);
    try {
      expect(await offset()).to.equal(0);
      await database.rows('update antennas set offset_db = 5 where org_id = $1', [orgId]);
      await set(orgId, 2);
      await until(async () => (await offset()) === 5);
    } finally {
      client.release();
    }
  });

  it('are found for a location among many by looking up those above it, once', async () => {
    const site = await Site.create(database, 'Many');
    const { orgId } = site;
    const hall = await site.location('HALL', await site.location('PLANT'));
    await database.rows(
      `insert into locations (org_id, external_key, name, parent_id)
       select $1, 'BIN-' || n, 'Bin', $2 from generate_series(1, 5000) n`,
      [orgId, hall],
    );
    const bins = await database.rows<{ id: number }>(
      `select id from locations where org_id = $1 and parent_id = $2 order by id limit 3`,
      [orgId, hall],
    );
    await storeSettings(database, orgId, [{ locationId: hall, validFrom: 0, setting: STRENGTH }]);
    const measured = await MeasuredClient.connect(database.url, 'auto', true);
    const scans = bins.map(({ id: locationId }) => ({ orgId, locationId }));
    const settings = async (client: Connection) => {
      const found = (await readSites(client, scans)).get(orgId);
      return scans.map(({ locationId }) => found?.settingAt(locationId, START).procedure);
    };
    const first = await measured.measure(async (client) => {
      expect(await settings(client)).to.deep.equal(['strength', 'strength', 'strength']);
    });
    for (const { rows, pages } of first.values()) {
      expect(rows).to.be.below(50);
      expect(pages).to.be.below(60);
    }
    const again = await measured.measure(async (client) => {
      expect(await settings(client)).to.deep.equal(['strength', 'strength', 'strength']);
    });
    expect(again.size).to.equal(2);
    const known = (await readSites(measured.client, scans)).get(orgId);
    known?.place(Array.from({ length: 50_000 }, (_, index) => [1_000_000 + index, null]));
    expect((await readSites(measured.client, scans)).get(orgId)).not.to.equal(known);
    await measured.client.end();
  });
});
