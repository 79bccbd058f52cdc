import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { type Device, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const SCANS = 20;

describe('the handheld app behind a proxy with a mind of its own', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    await gateway.site.location('DOCK-1');
  });

  beforeEach(async () => {
    // What the worker lets pass cannot be held up here.
    device = await browser.device({ serviceWorkers: 'block' });
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
  });

  it('sends fewer scans at a time where a submission is too large, each once and in order', async () => {
    const most = 1_300;
    const passed: number[] = [];
    await device.context.route('**/submissions', async (route) => {
      const body = route.request().postData() ?? '';
      if (body.length > most) {
        await tooLarge(route);
        return;
      }
      passed.push(JSON.parse(body).scans.length);
      await route.continue();
    });
    const values = Array.from({ length: SCANS }, (_, index) => `BEHIND-A-PROXY-${index}`);
    await scanOffline(values);
    await app.waits(0);
    expect(passed).to.deep.equal([10, 10]);
    const rows = await gateway.database.rows<{ value: string; times: number }>(
      `select value, count::integer as times from unknown_tags where value like 'BEHIND-A-PROXY-%' order by last_seen`,
    );
    expect(rows).to.deep.equal(values.map((value) => ({ value, times: 1 })));
  });

  it('shows a scan that alone is too large as refused, and goes on with the next', async () => {
    await device.context.route('**/submissions', async (route) =>
      route.request().postData()?.includes('TOO-LARGE') ? tooLarge(route) : route.continue(),
    );
    await scanOffline(['FITS-1', 'TOO-LARGE', 'FITS-2']);
    await app.waits(0);
    await app.goTo('History');
    await app.shows('1 scan refused');
    await app.shows('The gateway (or a server in front of it) answered with status 413.');
    expect(
      await gateway.database.rows(`select value from unknown_tags where value like 'FITS-%' order by value`),
    ).to.deep.equal([{ value: 'FITS-1' }, { value: 'FITS-2' }]);
  });

  it('says in the history what was answered instead of the gateway, and that it goes on trying', async () => {
    await device.context.route('**/submissions', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    );
    await app.scan('BEHIND-A-BAD-GATEWAY');
    await app.shows('No answer · 1 waiting');
    await app.goTo('History');
    await app.shows('1 scan not sent yet');
    await app.shows('The gateway (or a server in front of it) answered with status 502.');
    await device.context.unroute('**/submissions');
    await app.waits(0);
    await app.page.getByText('not sent yet').waitFor({ state: 'detached' });
  });

  /** All of them wait when the network comes back. */
  async function scanOffline(values: readonly string[]): Promise<void> {
    await device.context.setOffline(true);
    await app.shows('Offline');
    for (const value of values) {
      await app.scan(value);
    }
    await app.waits(values.length);
    await device.context.setOffline(false);
  }
});

function tooLarge(route: Route): Promise<void> {
  return route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>Request Entity Too Large</h1>' });
}
