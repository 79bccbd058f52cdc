import { expect } from 'chai';
import { scanByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const EPC = 'E28011600000020912340001';

describe('the handheld app in two tabs', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let app: HandheldApp;
  let tab: HandheldApp;

  before(async () => {
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('PALLET-1', EPC);
  });

  beforeEach(async () => {
    const device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
    tab = await HandheldApp.open(device, gateway.url);
    await tab.shows('You are at');
  });

  it('is signed out of both, and sends nothing from either', async () => {
    await app.goTo('Settings');
    await app.press('Sign out');
    await app.press('Yes, sign out');
    await tab.page.getByLabel('Token of this handheld').waitFor();
    await scanByWedge(tab.page, EPC);
    await tab.shows('Sign in first');
    expect(await gateway.database.rows('select from scan_events')).to.deep.equal([]);
    // And signed in to both.
    await app.signIn(gateway.token);
    await tab.shows('You are at');
  });

  it('sweeps in both, until the sweep is over', async () => {
    await app.goTo('Sweep');
    await app.press('Sweep DOCK-1');
    await tab.shows('Sweeping');
    await tab.scan(EPC);
    await app.page.locator('.heap', { hasText: 'Moved here' }).getByText('1').waitFor();
    await tab.goTo('Sweep');
    await tab.press('Finish');
    await app.shows('Sweep finished');
    await app.press('Done');
    await tab.press('Sweep DOCK-1');
  });
});
