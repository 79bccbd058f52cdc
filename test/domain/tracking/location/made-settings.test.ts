import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { setLocating } from '../../../../domain/administration/locating/set-locating.ts';
import { readSites } from '../../../../domain/tracking/location/read-site.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';
import { until } from '../../../support/subscribed-ingest.ts';

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
      await readSites(recorder, [busy]);
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
      await inTransaction(database.pool, (other) => readSites(other, [busy, idle]));
      expect(isMade).to.equal(false);
      return { made };
    });
    await waiting.made;
    expect(await countOf(busy)).to.equal(1);
  });

  it('are read again by a connection only after something that decides has changed', async () => {
    const site = await Site.create(database, 'Read');
    const { orgId } = site;
    const { orgId: without } = await Site.create(database, 'Without');
    const client = await database.pool.connect();
    const read = async () => (await readSites(client, [orgId, without])).get(orgId);
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
      expect((await read())?.above(bay)).to.deep.equal([bay, hall]);
    } finally {
      client.release();
    }
  });
});
