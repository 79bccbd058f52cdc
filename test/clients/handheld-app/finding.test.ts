import { expect } from 'chai';
import { type Device, LATER_MS, scanByWedge, typeByWedge, useBrowser } from '../../support/browser.ts';
import { useGateway } from '../../support/gateway.ts';
import { HandheldApp } from '../../support/handheld-app.ts';
import { aScan, aSubmission } from '../../support/new-submission.ts';

const EPC = 'E28011600000020912340001';
const BOX = '4006381333931';
const SHELF = 'SHELF-TAG-2';
const UNHEARD = /^Unknown since .*: the reader dock 3 is not heard\.$/;

describe('finding an asset in the handheld app', () => {
  const gateway = useGateway();
  const browser = useBrowser();
  let device: Device;
  let app: HandheldApp;

  before(async () => {
    const { site, database } = gateway;
    const hall = await site.location('HALL');
    const docks = [];
    for (const key of ['DOCK-1', 'DOCK-2', 'DOCK-3']) {
      docks.push(await site.location(key, hall));
    }
    await site.tag({ locationId: docks[1] ?? 0 }, SHELF, 'barcode');
    const lift = await site.asset('LIFT-0007', EPC);
    await database.rows(`update assets set name = 'Forklift Nord' where id = $1`, [lift]);
    await site.asset('BOX-1', BOX, 'barcode');
    await site.reader('dock 3', [docks[2] ?? 0]);
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, now() - interval '1 hour', 'continuous', 10, false, 'all')`,
      [site.orgId, docks[2]],
    );
    for (const [index, id] of docks.entries()) {
      await gateway.submit(aSubmission([aScan(EPC, 100 - index)], { location: { id } }));
    }
  });

  beforeEach(async () => {
    device = await browser.device();
    app = await HandheldApp.signedIn(device, gateway.url, gateway.token);
  });

  const look = async (words: string) => {
    await app.page.getByLabel('Name, key or tag').fill(words);
  };
  const found = (key: string) => app.page.locator(`[data-asset="${key}"]`);

  it('finds by name, key and tag, and tells where it is, since when and its last places', async () => {
    await app.goTo('Find');
    for (const words of ['nord', 'lift-0007', 'e2:80:11:60:00:00:02:09:12:34:00:01']) {
      await look('');
      await found('LIFT-0007').waitFor({ state: 'detached' });
      await look(words);
      await found('LIFT-0007').getByText('LIFT-0007 · Unknown · DOCK-3').waitFor();
    }
    await app.shows('1 asset');
    await found('LIFT-0007').click();
    await app.page.getByRole('heading', { name: 'Forklift Nord' }).waitFor();
    await app.shows('HALL › DOCK-3');
    await app.shows('Since');
    await app.page.getByText(UNHEARD).waitFor();
    const before = app.page.locator('.asset section', { hasText: 'Before that' });
    expect(await before.locator('.row-title').allInnerTexts()).to.deep.equal(['DOCK-2', 'DOCK-1']);
    // Of the tab from which it was opened.
    await app.page.locator('nav a[aria-current="page"]', { hasText: 'Find' }).waitFor();
    await app.press('Back');
    await found('LIFT-0007').waitFor();
  });

  it('looks for what is scanned, and records nothing', async () => {
    await app.choosePlace('DOCK-1');
    await app.goTo('Find');
    await scanByWedge(app.page, EPC);
    await found('LIFT-0007').waitFor();
    await found('LIFT-0007').click();
    await app.shows('HALL › DOCK-3');
    // On its page, too: it was opened from here.
    await typeByWedge(app.page, BOX, { delay: LATER_MS });
    await found('BOX-1').getByText('never seen').waitFor();
    await typeByWedge(app.page, gateway.token, { delay: 2 * LATER_MS });
    await app.shows('That is a token, not a tag');
    await app.goTo('History');
    await app.shows('Your scans are listed here');
  });

  it('works on the device’s own list without a network, and says how old that is', async () => {
    await app.isInstalled();
    await app.goTo('Find');
    await look('nord');
    await app.shows('1 asset');
    await found('LIFT-0007').click();
    await app.page.getByText(UNHEARD).waitFor();
    await device.context.setOffline(true);
    await app.shows('Offline');
    await app.page.reload();
    await app.goTo('Find');
    await look('e280 1160 0000 0209 1234 0001');
    await found('LIFT-0007').getByText('LIFT-0007 · DOCK-3').waitFor();
    await app.shows('The gateway does not answer. Results are from the device’s list of');
    await found('LIFT-0007').click();
    await app.shows('HALL › DOCK-3');
    await app.shows('The gateway does not answer. Shown as of');
    expect(await app.page.getByText(UNHEARD).count()).to.equal(0);
    // Nor does it say that it is there: that was so when the list was fetched.
    await app.page.locator('.tag-word', { hasText: 'Unknown, last here' }).waitFor();
  });

  it('reads the device’s own list once, and not for every letter', async () => {
    await app.goTo('Find');
    await look('nord');
    await app.shows('1 asset');
    await device.context.setOffline(true);
    await app.goTo('History');
    await app.page.evaluate(COUNT_READS);
    await app.goTo('Find');
    await look('');
    await app.page.getByLabel('Name, key or tag').pressSequentially('lift-0007');
    await found('LIFT-0007').waitFor();
    expect(await app.page.evaluate<number>('window.readsOfList')).to.be.within(1, 2);
  });

  it('finds places by name, key and tag too, without a network, tells what they lie in, and goes there', async () => {
    await app.isInstalled();
    await device.context.setOffline(true);
    await app.goTo('Find');
    await look('dock');
    const place = (key: string) => app.page.locator(`[data-place="${key}"]`);
    await place('DOCK-1').getByText('HALL', { exact: true }).waitFor();
    expect(await app.page.locator('[data-place]').count()).to.equal(3);
    await typeByWedge(app.page, SHELF, { delay: LATER_MS });
    await place('DOCK-1').waitFor({ state: 'detached' });
    await app.page.getByRole('button', { name: 'I’m here, at DOCK-2' }).click();
    await place('DOCK-2').getByText('you are here').waitFor();
  });

  it('opens an asset from every row that is of one', async () => {
    await app.choosePlace('DOCK-1');
    await app.scan(BOX);
    await app.tells('moved');
    await app.goTo('History');
    await app.page.locator(`[data-scan="${BOX}"]`).getByRole('link').click();
    await app.page.getByRole('heading', { name: 'BOX-1' }).waitFor();
    await app.shows('HALL › DOCK-1');
    await app.goTo('Sweep');
    await app.press('Sweep DOCK-1');
    await app.page.getByRole('list', { name: 'To find' }).getByRole('link', { name: 'BOX-1' }).click();
    await app.page.getByRole('heading', { name: 'BOX-1' }).waitFor();
  });
});

const COUNT_READS = `
  window.readsOfList = 0;
  const get = IDBObjectStore.prototype.get;
  IDBObjectStore.prototype.get = function (key) {
    window.readsOfList += key === 'assets' ? 1 : 0;
    return get.call(this, key);
  };`;
