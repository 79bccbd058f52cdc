import { expect } from 'chai';
import { scanByWedge, screenshot, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

describe('the languages of the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();

  before(async () => {
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('PALLET-1', 'E28011600000020912340001');
  });

  it('are the device’s, without a network too, unless the user chooses another', async () => {
    const device = await browser.device({ locale: 'de-AT' });
    const app = await HandheldApp.open(device, gateway.url);
    await app.page.getByLabel('Token dieses Handgeräts').fill(gateway.token);
    await app.press('Anmelden');
    await app.shows('Alles gesendet');
    expect(await app.page.evaluate('document.documentElement.lang')).to.equal('de');
    await scanByWedge(app.page, 'E28011600000020912340001');
    await app.shows('Wählen Sie, wo Sie sind');
    await screenshot(app.page, 'light/german-scan');
    await app.isInstalled();
    await device.context.setOffline(true);
    await app.reload();
    await app.page.getByRole('navigation').getByRole('link', { name: 'Optionen' }).click();
    await app.shows('Wie das Gerät');
    await screenshot(app.page, 'light/german-settings');
    await app.page.getByRole('radio', { name: 'English' }).check();
    await app.shows('As the device');
    await app.reload();
    await app.goTo('Settings');
    expect(await app.page.evaluate('document.documentElement.lang')).to.equal('en');
  });

  it('is English where there is none of the device’s', async () => {
    const app = await HandheldApp.open(await browser.device({ locale: 'fi-FI' }), gateway.url);
    await app.shows('Token of this handheld');
    expect(await app.page.evaluate('document.documentElement.lang')).to.equal('en');
  });
});
