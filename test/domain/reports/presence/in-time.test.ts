import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../../db/timescale/connections/organization-door.ts';
import { countStates } from '../../../../domain/reports/presence/count-states.ts';
import { presenceOfAssets } from '../../../../domain/reports/presence/presence-of-asset.ts';
import { useDatabase } from '../../../support/database.ts';
import { PresenceSite } from '../../../support/presence-site.ts';

const HALL = 0;
const ASKED = new AbortController().signal;

describe('the states of assets, where it would take long to tell', () => {
  const database = useDatabase();
  let site: PresenceSite;
  let quick: OrganizationDoor;
  let patient: OrganizationDoor;
  before(async () => {
    site = await PresenceSite.create(database, { places: 1, readerPlaces: [HALL], assets: 1 });
    await site.deliver([{ reader: 0, at: 0, receivedAt: 0, assets: [0] }]);
    quick = openOrganizationDoor(database.url, { max: 2, scanTimeout: 100 });
    patient = openOrganizationDoor(database.url, { max: 2, scanTimeout: 600_000 });
    database.beforeDrop(() => Promise.all([quick.end(), patient.end()]));
  });

  it('are not counted, and an asset is looked up without them', async () => {
    const asset = site.assets[0] ?? 0;
    expect(await countStates(patient.of(site.orgId))).to.nested.include({ 'counts.present': 1 });
    expect([...(await presenceOfAssets(patient.of(site.orgId), [asset], ASKED)).keys()]).to.deep.equal([
      asset,
    ]);
    const locker = await database.pool.connect();
    await locker.query('begin; lock table location_watches in access exclusive mode');
    try {
      expect(await countStates(quick.of(site.orgId))).to.equal('evidence');
      expect((await presenceOfAssets(patient.of(site.orgId), [asset], ASKED, 100)).size).to.equal(0);
    } finally {
      await locker.query('rollback');
      locker.release();
    }
  });
});
