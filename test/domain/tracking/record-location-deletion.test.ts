import { expect } from 'chai';
import type { PoolClient } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { recordAtFirst, recordIn, waits } from '../../support/concurrently.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const LATER = START + 60_000_000;

const LIVE_ASSETS_THERE = `select from positions join assets on assets.id = asset_id
  where location_id = $1 and assets.deleted_at is null`;

describe('recording at a location that is being deleted', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let elsewhere: number;
  let location: number;
  let assetId: number;
  let value = 'none yet';
  let count = 0;

  before(async () => {
    site = await Site.create(database);
    elsewhere = await site.location('elsewhere');
    readerId = await site.reader('dock', []);
  });
  beforeEach(aNewLocationAndAsset);

  async function aNewLocationAndAsset(): Promise<void> {
    value = `crate-${++count}`;
    assetId = await site.asset(value, value);
    location = await site.location(`location-${count}`);
  }

  const scanAt = (locationId: number, at: number, rssi: number | null = null): Scan =>
    aRead({ orgId: site.orgId, readerId, antenna: locationId, value, locationId, at, rssi });

  /** Deletes the location as a user does: locks it, looks whether a live asset is there, and marks it. */
  async function deleteLocationIn(client: PoolClient): Promise<boolean> {
    await client.query('select from locations where id = $1 for update', [location]);
    const { rowCount } = await client.query(LIVE_ASSETS_THERE, [location]);
    if (rowCount === 0) {
      await client.query('update locations set deleted_at = now() where id = $1', [location]);
    }
    return rowCount === 0;
  }
  const deleteLocation = () => inTransaction(database.pool, deleteLocationIn);

  async function isLocationDeleted(): Promise<boolean> {
    const live = await database.rows('select from locations where id = $1 and deleted_at is null', [
      location,
    ]);
    return live.length === 0;
  }

  async function expectNoLiveAssetAtADeletedLocation(): Promise<void> {
    const there = await database.rows(LIVE_ASSETS_THERE, [location]);
    expect([await isLocationDeleted(), there.length > 0]).to.not.deep.equal([true, true]);
  }

  it('waits for the deletion, and leaves the scan unplaced', async () => {
    const { recording } = await inTransaction(database.pool, async (client) => {
      expect(await deleteLocationIn(client)).to.equal(true);
      const recording = recordAtFirst(database, [scanAt(location, START), scanAt(elsewhere, LATER)]);
      expect(await waits(database, recording)).to.equal(true);
      return { recording };
    });
    expect((await recording).map(({ status }) => status)).to.deep.equal(['unplaced', 'recorded']);
    expect(await storedHistory(database, assetId)).to.deep.equal([
      { observedAt: LATER, locationId: elsewhere, durationSeconds: null },
    ]);
  });

  it('holds the deletion until its commit, and that finds the asset there', async () => {
    const { deletion } = await inTransaction(database.pool, async (client) => {
      await recordIn(client, [scanAt(location, START)]);
      const deletion = deleteLocation();
      expect(await waits(database, deletion)).to.equal(true);
      return { deletion };
    });
    expect(await deletion).to.equal(false);
    expect(await isLocationDeleted()).to.equal(false);
    expect(await storedPosition(database, assetId)).to.include({ locationId: location });
  });

  it('never leaves a live asset there, whoever is first', async () => {
    for (let round = 0; round < 60; round++) {
      await aNewLocationAndAsset();
      const recording = () =>
        recordAtFirst(database, [scanAt(elsewhere, START), scanAt(location, LATER)]).then(() => {});
      const deletion = () => deleteLocation().then(() => {});
      const [first, second] = round % 2 === 0 ? [recording, deletion] : [deletion, recording];
      await Promise.all([first(), second()]);
      await expectNoLiveAssetAtADeletedLocation();
    }
  });

  it('never leaves one there by a stronger copy that makes the location the current one again', async () => {
    for (let round = 0; round < 20; round++) {
      await aNewLocationAndAsset();
      await record(database, [scanAt(location, START, -70), scanAt(elsewhere, START, -60)]);
      const stronger = [scanAt(location, START, -50)];
      await Promise.all([deleteLocation(), recordAtFirst(database, stronger)]);
      await expectNoLiveAssetAtADeletedLocation();
    }
  });

  it('never leaves one there by a late scan after which the last stay begins anew', async () => {
    for (let round = 0; round < 20; round++) {
      await aNewLocationAndAsset();
      await record(database, [scanAt(location, START), scanAt(elsewhere, LATER)]);
      await Promise.all([deleteLocation(), recordAtFirst(database, [scanAt(location, LATER + 1)])]);
      await expectNoLiveAssetAtADeletedLocation();
      await recordAtFirst(database, [scanAt(elsewhere, START + 1)]);
      await expectNoLiveAssetAtADeletedLocation();
    }
  });

  describe('to which an asset comes by its position', () => {
    let near: number;

    /** A hall of 30 m by 2 m with three rooms in a row: only the outer ones have an antenna. */
    beforeEach(async () => {
      const { orgId } = site;
      const hall = await site.location(`hall-${count}`);
      near = await site.location(`near-${count}`, hall);
      const far = await site.location(`far-${count}`, hall);
      await database.rows('update locations set parent_id = $2 where id = $1', [location, hall]);
      await database.rows(
        'insert into antennas (org_id, reader_id, port, location_id) select $1, $2, id, id from unnest($3::integer[]) id',
        [orgId, readerId, [near, far]],
      );
      const [plan] = await database.rows<{ id: number }>(
        `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points,
           scale_metres)
         values ($1, $2, 'Hall', 'image/png', 3000, 200, '\\x00', decode(repeat('00', 32), 'hex'), '{0,0,1,0}', 30)
         returning id`,
        [orgId, hall],
      );
      for (const [index, id] of [near, location, far].entries()) {
        const [left, right] = [index / 3, (index + 1) / 3];
        await database.rows(
          'insert into plan_places (org_id, plan_id, location_id, points) values ($1, $2, $3, $4)',
          [orgId, plan?.id, id, [left, 0, right, 0, right, 1, left, 1]],
        );
      }
      for (const [port, x] of [
        [near, 1 / 30],
        [far, 29 / 30],
      ]) {
        await database.rows(
          'insert into plan_antennas (org_id, plan_id, reader_id, port, x, y) values ($1, $2, $3, $4, $5, 0.5)',
          [orgId, plan?.id, readerId, port, x],
        );
      }
      await database.rows(
        `insert into location_settings (org_id, location_id, valid_from, procedure, certainty)
         values ($1, $2, time_of_micros($3), 'position', 1)`,
        [orgId, hall, START - 1],
      );
      await record(database, [scanAt(far, START - 1, -78)]);
    });

    it('waits for the deletion, and says where the asset is without it', async () => {
      const { recording } = await inTransaction(database.pool, async (client) => {
        expect(await deleteLocationIn(client)).to.equal(true);
        const recording = record(database, [scanAt(near, START, -78)]);
        expect(await waits(database, recording)).to.equal(true);
        return { recording };
      });
      expect((await recording).map(({ status }) => status)).to.deep.equal(['recorded']);
      await expectNoLiveAssetAtADeletedLocation();
    });

    it('holds the deletion until its commit, and that finds the asset there', async () => {
      const { deletion } = await inTransaction(database.pool, async (client) => {
        await recordIn(client, [scanAt(near, START, -78)]);
        const deletion = deleteLocation();
        expect(await waits(database, deletion)).to.equal(true);
        return { deletion };
      });
      expect(await deletion).to.equal(false);
      expect(await storedPosition(database, assetId)).to.include({ locationId: location });
    });
  });
});
