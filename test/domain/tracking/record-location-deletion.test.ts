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

describe('recording at a location that is being deleted', function () {
  this.timeout(120_000);
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let elsewhere: number;
  let place: number;
  let assetId: number;
  let value = 'none yet';
  let count = 0;

  before(async () => {
    site = await Site.create(database);
    elsewhere = await site.location('elsewhere');
    readerId = await site.reader('dock', []);
  });
  beforeEach(aNewPlaceAndAsset);

  async function aNewPlaceAndAsset(): Promise<void> {
    value = `crate-${++count}`;
    assetId = await site.asset(value, value);
    place = await site.location(`place-${count}`);
  }

  const scanAt = (locationId: number, at: number, rssi: number | null = null): Scan =>
    aRead({ orgId: site.orgId, readerId, antenna: locationId, value, locationId, at, rssi });

  /** Deletes the place as a user does: locks it, looks whether a live asset is there, and marks it. */
  async function deletePlaceIn(client: PoolClient): Promise<boolean> {
    await client.query('select from locations where id = $1 for update', [place]);
    const { rowCount } = await client.query(LIVE_ASSETS_THERE, [place]);
    if (rowCount === 0) {
      await client.query('update locations set deleted_at = now() where id = $1', [place]);
    }
    return rowCount === 0;
  }
  const deletePlace = () => inTransaction(database.pool, deletePlaceIn);

  async function isPlaceDeleted(): Promise<boolean> {
    const live = await database.rows('select from locations where id = $1 and deleted_at is null', [place]);
    return live.length === 0;
  }

  async function expectNoLiveAssetAtADeletedPlace(): Promise<void> {
    const there = await database.rows(LIVE_ASSETS_THERE, [place]);
    expect([await isPlaceDeleted(), there.length > 0]).to.not.deep.equal([true, true]);
  }

  it('waits for the deletion, and leaves the scan unplaced', async () => {
    const { recording } = await inTransaction(database.pool, async (client) => {
      expect(await deletePlaceIn(client)).to.equal(true);
      const recording = recordAtFirst(database, [scanAt(place, START), scanAt(elsewhere, LATER)]);
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
      await recordIn(client, [scanAt(place, START)]);
      const deletion = deletePlace();
      expect(await waits(database, deletion)).to.equal(true);
      return { deletion };
    });
    expect(await deletion).to.equal(false);
    expect(await isPlaceDeleted()).to.equal(false);
    expect(await storedPosition(database, assetId)).to.include({ locationId: place });
  });

  it('never leaves a live asset there, whoever is first', async () => {
    for (let round = 0; round < 60; round++) {
      await aNewPlaceAndAsset();
      const recording = () =>
        recordAtFirst(database, [scanAt(elsewhere, START), scanAt(place, LATER)]).then(() => {});
      const deletion = () => deletePlace().then(() => {});
      const [first, second] = round % 2 === 0 ? [recording, deletion] : [deletion, recording];
      await Promise.all([first(), second()]);
      await expectNoLiveAssetAtADeletedPlace();
    }
  });

  it('never leaves one there by a stronger copy that makes the place the current one again', async () => {
    for (let round = 0; round < 20; round++) {
      await aNewPlaceAndAsset();
      await record(database, [scanAt(place, START, -70), scanAt(elsewhere, START, -60)]);
      const stronger = [scanAt(place, START, -50)];
      await Promise.all([deletePlace(), recordAtFirst(database, stronger)]);
      await expectNoLiveAssetAtADeletedPlace();
    }
  });

  it('never leaves one there by a late scan after which the last stay begins anew', async () => {
    for (let round = 0; round < 20; round++) {
      await aNewPlaceAndAsset();
      await record(database, [scanAt(place, START), scanAt(elsewhere, LATER)]);
      await Promise.all([deletePlace(), recordAtFirst(database, [scanAt(place, LATER + 1)])]);
      await expectNoLiveAssetAtADeletedPlace();
      await recordAtFirst(database, [scanAt(elsewhere, START + 1)]);
      await expectNoLiveAssetAtADeletedPlace();
    }
  });
});
