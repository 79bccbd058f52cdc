import { expect } from 'chai';
import { type Device, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const EPC = 'E28011600000020912340001';

describe('a walk with the handheld app past a tag that is no longer the shelf’s', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;
  let shelf: number;

  before(async () => {
    const { site } = gateway;
    await site.location('DOCK-1');
    await site.asset('PALLET-1', EPC);
  });

  /** The device knows the shelf's tag, and has no network when it is scanned. */
  beforeEach(async () => {
    const { site, database } = gateway;
    await database.rows('delete from scan_events');
    await database.rows('delete from positions');
    await database.rows(`update locations set deleted_at = now() where external_key = 'SHELF-2'`);
    shelf = await site.location('SHELF-2');
    await site.tag({ locationId: shelf }, 'LOC-SHELF-2', 'barcode');
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.scan('LOC-SHELF-2');
    await app.tells('place');
    await app.scan(EPC);
    await database.rows('update tags set detached_at = now() where location_id is not null');
  });

  it('records what was scanned after it at the shelf, as the app showed', async () => {
    await device.context.setOffline(false);
    await app.waits(0);
    await app.shows('Seen for the first time, at SHELF-2.');
    expect(await recordedAt()).to.deep.equal(['SHELF-2']);
    expect(await app.page.locator('.place-bar-name').textContent()).to.equal('SHELF-2');
  });

  it('says so when the shelf itself is gone, and records nothing elsewhere', async () => {
    await gateway.database.rows('update locations set deleted_at = now() where id = $1', [shelf]);
    await device.context.setOffline(false);
    await app.waits(0);
    await app.goTo('History');
    await app.shows('1 scan refused');
    expect(await recordedAt()).to.deep.equal([]);
  });

  async function recordedAt(): Promise<string[]> {
    const rows = await gateway.database.rows<{ external_key: string }>(
      `select external_key from scan_events
         join locations on locations.org_id = scan_events.org_id and locations.id = location_id`,
    );
    return rows.map(({ external_key }) => external_key);
  }
});
