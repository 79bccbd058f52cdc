import { expect } from 'chai';
import { loadScans, TooManyScans } from '../../../domain/tracking/location/load-stretches.ts';
import type { Setting } from '../../../domain/tracking/location/site.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake } from '../../support/intake.ts';
import { STRENGTH, storeSettings } from '../../support/location-settings.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;

describe('a read of an asset with a quarter of a million scans that bear on it', () => {
  const database = useDatabase();
  const SCANS = 260_000;
  /** In microseconds: more than are loaded in the seconds around one where it is read often. */
  const EVERY = 50;
  const now = Math.floor(Date.now() / 1_000) * SECOND;
  let site: Site;
  let pallet: number;

  before(async () => {
    site = await Site.create(database, 'Dense');
    const [here, there] = [await site.location('HERE'), await site.location('THERE')];
    pallet = await site.asset('PALLET', 'E280');
    const readerId = await site.reader('dense', [here, there]);
    await database.rows(
      `insert into scan_events
         (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, reader_id, antenna)
       select $1, $2, $3, time_of_micros($4::bigint - n * ${EVERY}), now(), false, 'rfid', 'E280', $5, 2
       from generate_series(1, ${SCANS}) n`,
      [site.orgId, pallet, there, now, readerId],
    );
    await database.rows(
      `with position as (
         insert into positions (org_id, asset_id, location_id, since, last_seen, is_in_feed)
         values ($1, $2, $4, time_of_micros($3::bigint - ${SCANS} * ${EVERY}), time_of_micros($3::bigint - ${EVERY}), true)
       )
       insert into location_transitions (org_id, asset_id, observed_at, location_id)
       values ($1, $2, time_of_micros($3::bigint - ${SCANS} * ${EVERY}), $4)`,
      [site.orgId, pallet, now, there],
    );
  });

  const decideBy = (setting: Setting) =>
    storeSettings(database, site.orgId, [{ locationId: null, validFrom: now - 86_400 * SECOND, setting }]);

  it('waits by itself until every scan decides there, and others are recorded', async () => {
    await decideBy(STRENGTH);
    const other = await Site.create(database, 'Other');
    await other.asset('OTHER', 'E281');
    await other.reader('other', [await other.location('DOCK')]);
    const intake = await openIntake(database);
    const read = { value: 'E280', antenna: 1, observed_at: new Date(now / 1_000).toISOString() };
    let isDone = false;
    const dense = intake.receive('dense', JSON.stringify(read)).finally(() => {
      isDone = true;
    });
    const outcomes = await Promise.all(
      ['one', 'two', 'three'].map(() => intake.receive('other', '{"value":"E281"}')),
    );
    expect(outcomes.map(({ counts }) => counts.recorded)).to.deep.equal([1, 1, 1]);
    while (intake.slow() === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isDone).to.equal(false);
    expect(intake.reported).to.deep.equal({ outages: [], poison: [] });
    await decideBy({ procedure: 'every' });
    expect((await dense).counts.recorded).to.equal(1);
    expect(intake.slow()).to.equal(0);
    await intake.drain(10_000);
  });

  it('is refused before all of them are loaded, while stretches that are too many together are read in parts', async () => {
    const stretch = (from: number, to: number) => ({
      ...{ orgId: site.orgId, assetId: pallet },
      ...{ from: now - from * EVERY, to: now - to * EVERY },
    });
    const client = await database.pool.connect();
    try {
      const parts = [stretch(130_000, 1), stretch(260_000, 130_001)];
      const found = await loadScans(client, parts);
      expect(found.map(({ length }) => length)).to.deep.equal([130_000, 130_000]);
      const error = await loadScans(client, [stretch(260_000, 1)]).catch((thrown) => thrown);
      expect(error).to.be.instanceOf(TooManyScans);
    } finally {
      client.release();
    }
  });
});
