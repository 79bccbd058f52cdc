import { expect } from 'chai';
import { useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const SCANS = 50;
const HOUR = 3_600_000;

describe('the handheld app without a network', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  const values = Array.from({ length: SCANS }, (_, index) => `E280116000000209${String(10_000_000 + index)}`);
  let dock: number;
  let assets: number[];

  before(async () => {
    const { site } = gateway;
    dock = await site.location('DOCK-1');
    await site.tag({ locationId: dock }, 'LOC-DOCK-1', 'barcode');
    assets = await Promise.all(values.map((value, index) => site.asset(`PALLET-${index}`, value)));
  });

  it('keeps fifty scans while the page is closed, and sends each once with the time at which it was made', async () => {
    const device = await browser.device();
    // The device's clock is three hours behind.
    const began = Date.now() - 3 * HOUR;
    await device.setTime(began);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await app.scan('LOC-DOCK-1');
    await app.tells('place');
    await app.waits(0);

    await device.context.setOffline(true);
    await app.shows('Offline');
    for (const [index, value] of values.entries()) {
      await device.setTime(began + (index + 1) * 7_000);
      await app.scan(value);
    }
    await app.waits(SCANS);
    await app.shows(`Offline · ${SCANS} waiting`);
    await app.page.close();

    const reopened = await HandheldApp.open(device, gateway.url);
    await reopened.waits(SCANS);
    await device.setTime(began + 2 * HOUR);
    await device.context.setOffline(false);
    await reopened.waits(0);

    const rows = await gateway.database.rows<{ asset_id: number; location_id: number; age: string }>(
      `select scan_events.asset_id, scan_events.location_id,
              extract(epoch from submissions.received_at - scan_events.observed_at)::text as age
         from scan_events join submissions on submissions.id = scan_events.submission_id
        order by scan_events.observed_at`,
    );
    expect(rows.map(({ asset_id }) => asset_id)).to.deep.equal(assets);
    expect(rows.every(({ location_id }) => location_id === dock)).to.equal(true);
    // Seconds between the scan and its sending, by the device's clock: what the database must say by its own.
    expect(rows.map(({ age }) => Number(age))).to.deep.equal(
      values.map((_, index) => (2 * HOUR) / 1000 - (index + 1) * 7),
    );
  });

  it('sends again what was recorded without the answer coming back, and it stays recorded once', async () => {
    // What the worker lets pass cannot be held up here.
    const device = await browser.device({ serviceWorkers: 'block' });
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.choosePlace('DOCK-1');
    const sent: string[] = [];
    await device.context.route('**/submissions', async (route) => {
      sent.push(route.request().postDataJSON().submission_id);
      const answer = await route.fetch();
      await (sent.length === 1 ? route.abort('connectionreset') : route.fulfill({ response: answer }));
    });
    await app.scan('ANSWER-LOST');
    await app.tells('problem');
    await app.waits(0);
    expect(sent).to.have.length(2);
    expect(new Set(sent)).to.have.length(1);
    expect(
      await gateway.database.rows(`select count::integer from unknown_tags where value = 'ANSWER-LOST'`),
    ).to.deep.equal([{ count: 1 }]);
  });

  it('takes the words of a network that is not the gateway’s for no answer', async () => {
    const device = await browser.device({ serviceWorkers: 'block' });
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await device.context.route('**/submissions', (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Welcome to the hotel</h1>' }),
    );
    await app.scan('BEHIND-A-LOG-IN-PAGE');
    await app.shows('No answer · 1 waiting');
    await device.context.unroute('**/submissions');
    await app.waits(0);
    await app.tells('problem');
  });
});
