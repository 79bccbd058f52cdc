import { expect } from 'chai';
import { type Device, LATER_MS, scanByWedge, typeByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { aScan, aSubmission } from '../../support/new-submission.ts';

const tag = (number: number) => `E280116000000209123400${String(number).padStart(2, '0')}`;

describe('a sweep that only checks', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    const { site } = gateway;
    const dock = await site.location('DOCK-1');
    await site.tag({ locationId: dock }, 'LOC-DOCK-1', 'barcode');
    const yard = await site.location('YARD');
    for (const number of [1, 2, 3]) {
      await site.asset(`PALLET-${number}`, tag(number));
    }
    await gateway.submit(aSubmission([aScan(tag(1), 60), aScan(tag(2), 60)], { location: { id: dock } }));
    await gateway.submit(aSubmission([aScan(tag(3), 60)], { location: { id: yard } }));
  });

  beforeEach(async () => {
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
    await app.goTo('Sweep');
    await app.page.getByRole('radio', { name: 'Only check' }).check();
  });

  const heap = async (name: string, rows: readonly string[]) => {
    await app.page.getByRole('button', { name }).first().click();
    const list = app.page.getByRole('list', { name });
    for (const row of rows) {
      await list.locator('.row-title', { hasText: row }).waitFor();
    }
    // What the gateway has not said yet of a tag stands among the unknown ones until then.
    await list.locator('.row-title').nth(rows.length).waitFor({ state: 'detached' });
  };

  it('begins by the tag of the place, moves nothing until the user says so, and tells where things belong', async () => {
    await scanByWedge(app.page, 'LOC-DOCK-1');
    await app.shows('Only checking');
    await app.shows('2 assets expected');
    for (const [index, value] of [tag(1), tag(3), 'NOBODY-S'].entries()) {
      await typeByWedge(app.page, value, { delay: (index + 1) * LATER_MS });
      await app.page.locator(`[data-latest="${value}"]`).waitFor();
    }
    await heap('Unknown', ['NOBODY-S']);
    await heap('Found', ['PALLET-1']);
    await heap('To find', ['PALLET-2']);
    await heap('Elsewhere', ['PALLET-3']);
    await app.shows('PALLET-3 · from YARD');
    await app.waits(0);
    expect(await at()).to.deep.equal({ 'PALLET-1': 'DOCK-1', 'PALLET-2': 'DOCK-1', 'PALLET-3': 'YARD' });
    const before = await scans();
    await app.press('Finish');
    await app.shows('1 of 2 missing');
    await app.waits(0);
    expect(await scans()).to.equal(before);
    expect(await recorded()).to.deep.equal({ found: 1, moved_here: 0, missing: 1, unknown: 1 });
    await heap('Elsewhere', ['PALLET-3']);
    await app.press('Move these here');
    await heap('Moved here', ['PALLET-3']);
    await app.waits(0);
    expect(await at()).to.deep.equal({ 'PALLET-1': 'DOCK-1', 'PALLET-2': 'DOCK-1', 'PALLET-3': 'DOCK-1' });
    await app.press('Done');
    expect(await scans()).to.equal(before + 1);
  });

  it('goes by what the device knows without a network, and asks when it is back', async () => {
    await app.choosePlace('YARD');
    await app.goTo('Sweep');
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.press('Sweep YARD');
    await app.scan(tag(2));
    await heap('Unknown', [tag(2)]);
    await device.context.setOffline(false);
    await heap('Elsewhere', ['PALLET-2']);
    await app.reload();
    await heap('Elsewhere', ['PALLET-2']);
    await app.waits(0);
    expect((await at())['PALLET-2']).to.equal('DOCK-1');
  });

  it('leads to another place that one was at with two taps', async () => {
    await app.choosePlace('DOCK-1');
    await app.choosePlace('YARD');
    await app.reload();
    await app.page.locator('.place-bar').click();
    await app.page.getByRole('list', { name: 'Recent' }).getByRole('button', { name: 'DOCK-1' }).click();
    await app.page.locator('.place-bar-name', { hasText: 'DOCK-1' }).waitFor();
  });

  async function at(): Promise<Record<string, string>> {
    const rows = await gateway.database.rows<{ asset: string; place: string }>(
      `select asset.external_key as asset, location.external_key as place from positions
        join assets asset on asset.id = asset_id join locations location on location.id = location_id`,
    );
    return Object.fromEntries(rows.map(({ asset, place }) => [asset, place]));
  }

  async function scans(): Promise<number> {
    return (await gateway.database.rows('select from scan_events')).length;
  }

  /** The last sweep. */
  async function recorded(): Promise<object> {
    const [row] = await gateway.database.rows<object>(
      'select found, moved_here, missing, unknown from sweeps order by received_at desc limit 1',
    );
    return row ?? {};
  }
});
