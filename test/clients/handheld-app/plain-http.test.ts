import { expect } from 'chai';
import { PLAIN_HOST, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { ScreenStates } from '../../support/screen-states.ts';

describe('the handheld app over plain http', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  before(() => gateway.site.location('DOCK-1'));

  it('promises nothing that the browser does not let it do, and says what to do', async () => {
    const device = await browser.device();
    const app = await HandheldApp.open(device, gateway.url.replace('127.0.0.1', PLAIN_HOST));
    await app.shows('This page uses plain http.');
    expect(await app.page.evaluate('isSecureContext')).to.equal(false);
    expect(await app.page.getByText('With or without a network').count()).to.equal(0);
    await new ScreenStates().look(app.page, 'plain-http');
    await app.signIn(gateway.token);
    await app.shows('All sent');
    await app.choosePlace('DOCK-1');
    // What it does do it does as ever.
    await app.scan('SCANNED-OVER-HTTP');
    await app.waits(0);
    await app.page.reload();
    await app.page.locator('[data-latest="SCANNED-OVER-HTTP"]').waitFor();
    await app.goTo('Settings');
    await app.shows('or use the camera');
    await app.goTo('Scan');
    await app.press('Camera');
    await app.shows('The camera needs a secure connection');
  });

  it('says nothing of that where it may do all', async () => {
    const app = await HandheldApp.open(await browser.device(), gateway.url);
    await app.shows('With or without a network.');
    expect(await app.page.getByText('plain http').count()).to.equal(0);
  });
});
