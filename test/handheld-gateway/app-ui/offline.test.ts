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
    await device.context.clock.setFixedTime(began);
    const app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.isInstalled();
    await app.scan('LOC-DOCK-1');
    await app.tells('place');
    await app.waits(0);

    await device.context.setOffline(true);
    await app.shows('Offline');
    for (const [index, value] of values.entries()) {
      await device.context.clock.setFixedTime(began + (index + 1) * 7_000);
      await app.scan(value);
    }
    await app.waits(SCANS);
    await app.page.close();

    const reopened = await HandheldApp.open(device, gateway.url);
    await reopened.waits(SCANS);
    await device.context.clock.setFixedTime(began + 2 * HOUR);
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
});
