import { expect } from 'chai';
import { type Device, scanByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';

const EPC = 'E28011600000020912340001';
const CARTON = '4006381333931';

describe('scanning with the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    const { site } = gateway;
    const hall = await site.location('HALL');
    const dock = await site.location('DOCK-1', hall);
    await site.tag({ locationId: dock }, 'LOC-DOCK-1', 'barcode');
    await site.location('DOCK-2', hall);
    await site.asset('PALLET-1', EPC);
    await site.asset('CARTON-1', CARTON, 'barcode');
  });

  beforeEach(async () => {
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
  });

  it('walks: a place by its tag, an asset there, the next place from the tree, the asset there', async () => {
    await app.scan('LOC-DOCK-1');
    await app.tells('place');
    await app.shows('DOCK-1 · in HALL');
    await app.scan(EPC);
    await app.tells('moved');
    await app.shows('Seen for the first time, at DOCK-1.');
    await app.choosePlace('DOCK-2');
    await app.scan(EPC);
    await app.shows('From DOCK-1 to DOCK-2.');
    await app.waits(0);
    expect(await whereIs('PALLET-1')).to.equal('DOCK-2');
  });

  it('takes an EPC for an RFID tag and other values for barcodes, unless it is told otherwise', async () => {
    await app.choosePlace('DOCK-1');
    await app.scan(CARTON);
    await app.tells('moved');
    await app.page.getByRole('radio', { name: 'RFID' }).check();
    await app.scan(CARTON);
    await app.tells('problem');
    await app.shows('Unknown tag');
    const unknown = await gateway.database.rows(
      'select tag_type, value from unknown_tags where org_id = $1 and value = $2',
      [gateway.site.orgId, CARTON],
    );
    expect(unknown).to.deep.equal([{ tag_type: 'rfid', value: CARTON }]);
  });

  it('hears the trigger wherever the focus is, and leaves alone what a person types', async () => {
    const { page } = app;
    await app.goTo('Settings');
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await app.scan('TRIGGER ON A BUTTON');
    expect(await page.getByRole('button', { name: 'Yes, sign out' }).count()).to.equal(0);

    await page.locator('.place-bar').click();
    const search = page.getByLabel('Search places');
    // A person: a key now and then.
    await search.pressSequentially('DOCK-', { delay: 90 });
    await scanByWedge(page, 'TRIGGER-ON-A-FIELD', 'Tab');
    await app.page.locator('[data-latest="TRIGGER-ON-A-FIELD"]').waitFor();
    await page.locator('.place-bar').click();
    await search.pressSequentially('DOCK-2', { delay: 90 });
    await search.press('Enter');
    expect(await search.inputValue()).to.equal('DOCK-2');
    expect(await page.getByRole('button', { name: 'DOCK-2' }).count()).to.equal(1);
  });

  it('takes out of a field what the scanner typed into it', async () => {
    await app.press('Type');
    const field = app.page.getByLabel('What is printed on it');
    await field.pressSequentially('half a val', { delay: 90 });
    await scanByWedge(app.page, EPC);
    await app.page.locator(`[data-latest="${EPC}"]`).waitFor();
    expect(await field.inputValue()).to.equal('half a val');
  });

  it('takes no part of what has a separator in it, and says so wherever it is', async () => {
    const { page } = app;
    await app.choosePlace('DOCK-1');
    await app.goTo('Settings');
    await app.shows('Colours');
    await scanByWedge(page, `10LOT77\u001d${CARTON}`);
    await app.shows('Not a plain value');
    await app.goTo('History');
    await app.shows('What you scan is listed here');
  });

  it('takes a value that is typed', async () => {
    await app.choosePlace('DOCK-1');
    await app.type(` ${CARTON} `);
    await app.page.locator(`[data-latest="${CARTON}"]`).waitFor();
  });

  it('says why a value cannot be taken, and does not take it', async () => {
    await app.page.getByRole('radio', { name: 'RFID' }).check();
    await app.type('::--');
    await app.shows('There is nothing in it that could be a tag.');
    await app.waits(0);
  });

  it('asks for a place when a scan was made without one, and records none', async () => {
    await app.scan(EPC);
    await app.shows('Not recorded. Choose where you are, then scan it again.');
    await app.page.getByText('Where are you?').click();
    await app.shows('Scan the place’s tag, or choose it here.');
  });

  it('sends from two tabs what was scanned in either, once', async () => {
    const tab = await HandheldApp.open(device, gateway.url);
    await app.choosePlace('DOCK-1');
    await device.context.setOffline(true);
    for (const number of [1, 2, 3, 4]) {
      await app.scan(`FIRST-TAB-${number}`);
      await tab.scan(`OTHER-TAB-${number}`);
    }
    await tab.waits(8);
    await device.context.setOffline(false);
    await Promise.all([app.waits(0), tab.waits(0)]);
    const counts = await gateway.database.rows<{ count: number }>(
      `select count::integer from unknown_tags where value like '%-TAB-%'`,
    );
    expect(counts.map(({ count }) => count)).to.deep.equal(Array(8).fill(1));
  });

  async function whereIs(key: string): Promise<string | undefined> {
    const [row] = await gateway.database.rows<{ external_key: string }>(
      `select locations.external_key from assets
         join positions on positions.org_id = assets.org_id and positions.asset_id = assets.id
         join locations on locations.org_id = assets.org_id and locations.id = positions.location_id
        where assets.external_key = $1`,
      [key],
    );
    return row?.external_key;
  }
});
