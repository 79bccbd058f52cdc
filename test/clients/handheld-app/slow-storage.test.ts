import { type Device, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { holdStorage, letGo } from '../../support/held-storage.ts';
import { itByNight } from '../../support/random-sets.ts';

const EPC = 'E28011600000020912340001';

describe('a sweep on a device that is slow to store', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    await gateway.site.location('SHELF-1');
    await gateway.site.asset('TOTE-1', EPC);
  });

  beforeEach(async () => {
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await app.choosePlace('SHELF-1');
    await app.goTo('Sweep');
  });

  itByNight('counts a scan that is made at once after it goes on', async () => {
    await app.press('Sweep SHELF-1');
    await app.press('Finish');
    await app.shows('Sweep finished');
    await holdStorage(app.page, ['kept']);
    await app.press('Go on');
    await app.page.getByRole('button', { name: 'Finish' }).waitFor();
    await letGo(app.page);
    await app.scan(EPC);
    await app.page.locator('.heap', { hasText: 'Moved here' }).getByText('1').waitFor();
  });

  itByNight('stays finished when the list that it began without comes at that moment', async () => {
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.press('Sweep SHELF-1');
    await app.shows('There was no network and no list');
    await holdStorage(app.page, ['lists']);
    const asked = app.page.waitForResponse('**/handheld/v1/locations/*/assets*');
    await device.context.setOffline(false);
    await (await asked).finished();
    await app.press('Finish');
    await app.shows('Sweep finished');
    await letGo(app.page);
    await app.shows('Compared with what should be here as of');
    await app.page.reload();
    await app.goTo('Sweep');
    await app.shows('Sweep finished');
    await app.shows('Compared with what should be here as of');
  });
});
