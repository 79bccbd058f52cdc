import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { setSmoothing } from '../../../../domain/administration/smoothing/set-smoothing.ts';
import { readSmoothing } from '../../../../domain/tracking/smoothing/read-settings.ts';
import { MOST_SETTINGS, type Smoothing } from '../../../../domain/tracking/smoothing/settings.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';
import { storeSettings } from '../../../support/stored-smoothing.ts';
import { until } from '../../../support/subscribed-ingest.ts';

const SECOND = 1_000_000;
const windowOf = (seconds: number): Smoothing => ({
  window: seconds * SECOND,
  minimum: SECOND,
  margin: null,
});

describe('smoothing settings that are made', () => {
  const database = useDatabase();
  const set = (orgId: number, smoothing: Smoothing | 'off') =>
    setSmoothing(databaseOn(database.pool), TEST_ACTOR, { orgId, locationExternalKey: null, smoothing });
  const countOf = async (orgId: number) => {
    const [row] = await database.rows<{ count: number }>(
      'select count(*)::integer from smoothing_settings where org_id = $1',
      [orgId],
    );
    return row?.count;
  };
  const fill = (orgId: number, count: number) =>
    database.rows(
      `insert into smoothing_settings (org_id, mode, window_seconds, min_seconds, valid_from)
       select $1, 'on', 1 + number % 600, 1, timestamptz '2026-01-01' + number * interval '1 second'
       from generate_series(1, $2::integer) number`,
      [orgId, count],
    );

  it('are so many in an organization at most', async () => {
    const { orgId } = await Site.create(database, 'Full');
    await fill(orgId, MOST_SETTINGS - 1);
    await set(orgId, windowOf(30));
    const refusal = await set(orgId, windowOf(31)).catch((error) => error);
    expect(refusal).to.include({ code: 'conflict' });
    expect(refusal.message).to.include(`Organization ${orgId} has 5,000`).and.include('runbook');
    expect(await countOf(orgId)).to.equal(MOST_SETTINGS);
    const { orgId: other } = await Site.create(database, 'Empty');
    await set(other, windowOf(31));
  });

  it('stay, where there are more already', async () => {
    const { orgId } = await Site.create(database, 'Overfull');
    await fill(orgId, MOST_SETTINGS + 1);
    expect(await set(orgId, 'off').catch((error) => error.code)).to.equal('conflict');
    const { dated } = await inTransaction(database.pool, async (client) => {
      const read = await readSmoothing(client, [orgId]);
      return read.get(orgId) ?? { dated: [] };
    });
    expect(dated).to.have.length(MOST_SETTINGS + 1);
  });

  it('are not made once more where the same is in force', async () => {
    const { orgId } = await Site.create(database, 'Same');
    const validFrom = await set(orgId, windowOf(30));
    expect(await set(orgId, windowOf(30))).to.equal(validFrom);
    expect(await countOf(orgId)).to.equal(1);
    await set(orgId, 'off');
    await set(orgId, windowOf(30));
    expect(await countOf(orgId)).to.equal(3);
  });

  it('are made while scans of another organization are recorded, and not while its own are', async () => {
    const { orgId: busy } = await Site.create(database, 'Busy');
    const { orgId: idle } = await Site.create(database, 'Idle');
    let isMade = false;
    const waiting = await inTransaction(database.pool, async (recorder) => {
      await readSmoothing(recorder, [busy]);
      await set(idle, windowOf(30));
      const made = set(busy, windowOf(30)).then(() => {
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
      await inTransaction(database.pool, (other) => readSmoothing(other, [busy, idle]));
      expect(isMade).to.equal(false);
      return { made };
    });
    await waiting.made;
    expect(await countOf(busy)).to.equal(1);
  });

  it('are read again by a connection only after they have changed', async () => {
    const { orgId } = await Site.create(database, 'Read');
    const { orgId: without } = await Site.create(database, 'Without');
    const client = await database.pool.connect();
    const read = async () => (await readSmoothing(client, [orgId, without])).get(orgId);
    try {
      expect(await read()).to.equal(undefined);
      await storeSettings(database, orgId, [{ locationId: null, validFrom: 0, smoothing: windowOf(30) }]);
      const first = await read();
      expect(first?.at(1, 1)).to.deep.equal(windowOf(30));
      expect(await read()).to.equal(first);
      await set(orgId, windowOf(60));
      expect((await read())?.dated.map(({ smoothing }) => smoothing)).to.deep.equal([
        windowOf(30),
        windowOf(60),
      ]);
      await storeSettings(database, orgId, []);
      expect(await read()).to.equal(undefined);
    } finally {
      client.release();
    }
  });
});
