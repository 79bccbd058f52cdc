import { expect } from 'chai';
import { useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const EPC = 'E28011600000020912340001';
const NEXT_EPC = 'E28011600000020912340002';

describe('a submission that the gateway refuses', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let app: HandheldApp;

  before(async () => {
    const { site } = gateway;
    await site.location('DOCK-2');
    await site.asset('PALLET-1', EPC);
    await site.asset('PALLET-2', NEXT_EPC);
  });

  /** A scan at a place that is deleted while the device has no network, and one at another place. */
  beforeEach(async () => {
    const { site, database } = gateway;
    await database.rows('delete from scan_events');
    const gone = await site.location('DOCK-1');
    const device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await device.context.setOffline(true);
    await app.choosePlace('DOCK-1');
    await app.scan(EPC);
    await app.choosePlace('DOCK-2');
    await app.scan(NEXT_EPC);
    await database.rows('update locations set deleted_at = now() where id = $1', [gone]);
    await device.context.setOffline(false);
    await app.waits(0);
  });

  it('stays in sight with its reason while the next goes on, over a restart too', async () => {
    expect(await recorded()).to.deep.equal(['PALLET-2']);
    await app.page.reload();
    await app.goTo('History');
    await app.shows('1 scan refused');
    await app.shows('not found');
    await app.page.locator(`[data-scan="${EPC}"]`).getByText('Refused').waitFor();
  });

  it('can be sent again from another place', async () => {
    await app.goTo('History');
    await app.press('Send again, at DOCK-2');
    await app.page.getByText('1 scan refused').waitFor({ state: 'detached' });
    await app.waits(0);
    expect(await recorded()).to.deep.equal(['PALLET-1', 'PALLET-2']);
  });

  it('is discarded when the user says so twice', async () => {
    await app.goTo('History');
    await app.press('Discard');
    await app.shows('1 scan refused');
    await app.press('Yes, discard');
    await app.page.getByText('1 scan refused').waitFor({ state: 'detached' });
    expect(await app.page.locator(`[data-scan="${EPC}"]`).count()).to.equal(0);
    expect(await recorded()).to.deep.equal(['PALLET-2']);
  });

  async function recorded(): Promise<string[]> {
    const rows = await gateway.database.rows<{ external_key: string }>(
      `select external_key from scan_events join assets on assets.org_id = scan_events.org_id and assets.id = asset_id
        order by observed_at`,
    );
    return rows.map(({ external_key }) => external_key);
  }
});
