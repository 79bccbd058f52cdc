import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { screenshot, until } from '../../support/browser.ts';
import { cutTexts, faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { encodePng } from '../../support/png.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { storeSweepBy } from '../../support/stored-sweep.ts';

const SECOND = 1_000_000;

describe('the console, looking for where things are', () => {
  const app = useConsoleApp();
  const { database } = app;
  let site: Site;
  let token: string;
  let readerId: number;
  const place = { hall: 0, dock: 0, yard: 0 };
  let lift: number;
  const begun = (Date.now() - 3_600_000) * 1_000;
  /** A reader has read a tag at a location, so many seconds ago. */
  const read = (value: string, locationId: number, ago: number, rssi: number) =>
    record(database, [
      aRead({ orgId: site.orgId, readerId, value, locationId, at: begun + (3_600 - ago) * SECOND, rssi }),
    ]);
  const seal = () => sealBatch(database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);

  before(async () => {
    site = await Site.create(database, 'Acme');
    token = await app.as('viewer', site.orgId);
    place.hall = await site.location('HALL');
    place.dock = await site.location('DOCK', place.hall);
    place.yard = await site.location('YARD');
    for (let aisle = 1; aisle <= 12; aisle++) {
      const id = await site.location(`AISLE-${aisle}`, place.hall);
      const value = `E2802000${aisle.toString().padStart(2, '0')}`;
      await site.asset(`PALLET-${aisle}`, value);
      readerId ||= await site.reader('North gate', [place.dock, place.yard]);
      await read(value, id, 3_000 - aisle, -60);
    }
    lift = await site.asset('LIFT-1', 'E28011');
    for (const [ago, at, rssi] of [
      [3_500, place.dock, -55],
      [3_000, place.yard, -62],
      [1_800, place.dock, -50],
      [1_790, place.dock, -52],
      [900, place.yard, -58],
      [880, place.yard, -61],
      [600, place.dock, -49],
    ] as const) {
      await read('E28011', at, ago, rssi);
    }
    await seal();
    await database.rows(
      `insert into reader_counters (org_id, reader_id, last_message_at) values ($1, $2, now() - interval '2 hours')
       on conflict (org_id, reader_id) do update set last_message_at = excluded.last_message_at`,
      [site.orgId, readerId],
    );
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at) values ($1, $2, 'silent', now() - interval '1 hour')`,
      [site.orgId, readerId],
    );
  });

  it('counts what is at each place, and follows a move as it is committed', async () => {
    const page = await app.open('#/now', token);
    const totalOf = (id: number) => page.locator(`[data-place="${id}"] .tree-number`);
    await totalOf(place.hall).getByText('13', { exact: true }).waitFor();
    await page.locator('.live-open').waitFor();
    await page.getByRole('heading', { name: '1 reader cannot be heard' }).waitFor();
    expect(await faultsOf(page, 'now')).to.deep.equal([]);
    // What comes after the latest moves were read is new.
    await page.locator('.move-line').first().waitFor();
    await read('E28011', place.yard, 5, -57);
    await seal();
    await totalOf(place.yard).getByText('1', { exact: true }).waitFor();
    await totalOf(place.hall).getByText('12', { exact: true }).waitFor();
    await page.locator('.move-line.is-new', { hasText: 'LIFT-1' }).waitFor();
  });

  it('lists on phones the screens that need no name, and closes the list with the browser’s Back', async () => {
    const page = await app.open('#/now', token, { viewport: { width: 360, height: 740 } });
    await page.evaluate("location.hash = location.hash.replace('now', 'find')");
    await page.getByRole('button', { name: 'More' }).click();
    const list = page.getByRole('dialog').getByRole('listitem');
    const listed = await list.allInnerTexts();
    expect(listed).to.include.members(['Now', 'Assets', 'Places', 'Settings']);
    expect(listed).not.to.include.members(['Asset']).and.not.to.include.members(['Place']);
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('goes through the tree by keyboard', async () => {
    const page = await app.open('#/now', token);
    const row = page.locator(`[data-place="${place.hall}"]`);
    await row.focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator(`[data-place="${place.dock}"]`).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await page.locator(`[data-place="${place.dock}"]`).waitFor();
    await page.keyboard.press('End');
    await page.locator(`[data-place="${place.yard}"]:focus`).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'YARD' }).waitFor();
  });

  it('shows where an asset was, stay by stay, and why', async () => {
    const page = await app.open(`#/asset/${lift}`, token);
    await page.getByRole('heading', { level: 1, name: 'LIFT-1' }).waitFor();
    expect(await page.locator('.stay-table tbody tr').count()).to.equal(6);
    expect(await page.locator('.lane .bar').count()).to.equal(6);
    expect(await faultsOf(page, 'asset')).to.deep.equal([]);
    await page.getByRole('link', { name: 'Why at DOCK' }).first().click();
    await page.getByRole('heading', { name: 'Why LIFT-1 was at DOCK' }).waitFor();
    await page.getByText('every read counts at DOCK').waitFor();
    await page.getByText('North gate, antenna 1').first().waitFor();
    // What was said before differs only where it was corrected: these reads came an hour late.
    await page.getByRole('heading', { name: 'What we said before' }).waitFor();
    const colours = await page.evaluate<string[][]>(`[
      [...document.querySelectorAll('.lane:has(.bar)')]
        .map((lane) => lane.querySelector('.lane-name').textContent.trim() + lane.querySelector('.bar').style.background),
      [...document.querySelectorAll('.signal figcaption > span:has(i)')]
        .map((place) => place.textContent.trim() + place.querySelector('i').style.background)]`);
    expect(colours[0]).to.include.members(colours[1] ?? []);
    expect(colours[1]).not.to.deep.equal([]);
    expect(await faultsOf(page, 'why')).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    const before = await page.evaluate<string>('location.hash');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await page.evaluate<string>('location.hash')).not.to.equal(before);
  });

  it('shows whole names of places beside the lanes on a phone', async () => {
    const called = (name: string) =>
      app.database.rows('update locations set name = $2 where id = $1', [place.dock, name]);
    await called('Goods inward, hall 3, loading bridge 12');
    const page = await app.open(`#/asset/${lift}`, token, { viewport: { width: 390, height: 844 } });
    await page.locator('.lane-name', { hasText: 'loading bridge 12' }).waitFor();
    expect(await cutTexts(page, '.lane-name, .lane-name a')).to.deep.equal([]);
    await page.locator('.lane-name').first().scrollIntoViewIfNeeded();
    await screenshot(page, 'console/lanes-390');
    await called('DOCK');
  });

  it('finds an asset by its tag in another spelling, with where it is and was', async () => {
    const page = await app.open('#/find?q=e2-80-11', token);
    await page.locator('.found', { hasText: 'LIFT-1' }).getByText('before:').waitFor();
    await page.getByLabel('Find an asset, key, tag or place').last().fill('dock');
    await page.locator('.found-place', { hasText: 'DOCK' }).waitFor();
    expect(await faultsOf(page, 'find')).to.deep.equal([]);
  });

  it('opens the page of what a Digital Link on a label names, after signing in too', async () => {
    await site.asset('LABELLED', '(01)80614141123458(21)6/7', 'barcode');
    const link = '/id/01/80614141123458/21/6%2F7';
    const page = await app.open(link.slice(1), token);
    await page.getByRole('heading', { name: 'LABELLED' }).waitFor();
    await page.goto(new URL(link.replace('6%2F7', '8'), page.url()).href);
    await page.getByText('Nothing').first().waitFor();
    const stranger = await app.open(link.slice(1), null);
    await stranger.getByLabel('Password').waitFor();
    expect(await stranger.evaluate('location.hash')).to.include('#/find?q=');
  });

  it('says the state before the place of what may be gone, and in the list of the place', async () => {
    const asset = await site.asset('CRATE-1', 'E28099');
    await read('E28099', place.yard, 300, -50);
    await seal();
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, now() - interval '1 hour', 'continuous', 10, false, 'all')`,
      [site.orgId, place.yard],
    );
    const page = await app.open(`#/asset/${asset}`, token);
    await page.locator('.where-place', { hasText: /^Unknown was last at\s*YARD/ }).waitFor();
    expect(await page.getByText('is at', { exact: true }).count()).to.equal(0);
    const found = await faultsOf(page, 'asset-unknown');
    await page.evaluate(`location.hash = '#/place/${place.yard}'`);
    await page.locator('tr', { hasText: 'CRATE-1' }).locator('.badge', { hasText: 'Unknown' }).waitFor();
    found.push(...(await faultsOf(page, 'place-states')));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate("location.hash = '#/assets?q=crate-1'");
    const listed = page.locator('tr', { hasText: 'CRATE-1' });
    await listed.getByText(/^Unknown\s*YARD$/).waitFor();
    await listed.locator('td time').nth(1).waitFor();
    found.push(...(await faultsOf(page, 'assets-states')));
    expect(found).to.deep.equal([]);
    await database.empty('location_watches');
  });

  it('counts nothing as here that a sweep did not find, wherever it is counted', async () => {
    const other = await Site.create(database, 'Swept');
    const yard = await other.location('YARD');
    const [crate, box] = [await other.asset('CRATE-2', 'E280A1'), await other.asset('BOX-2', 'E280A2')];
    const reader = await other.reader('Yard gate', [yard]);
    for (const value of ['E280A1', 'E280A2']) {
      const at = begun + 3_000 * SECOND;
      await record(database, [
        aRead({ orgId: other.orgId, readerId: reader, value, locationId: yard, at, rssi: -50 }),
      ]);
    }
    await sealBatch(database.pool, [{ orgId: other.orgId, after: 0, share: 1_000 }]);
    await storeSweepBy(
      database,
      { orgId: other.orgId, handheld: 'Scanner' },
      {
        ...{ id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B', locationId: yard, endedAt: new Date().toISOString() },
        ...{ expected: [crate, box], found: [box], missing: [crate] },
      },
    );
    const page = await app.open('#/now', await app.as('viewer', other.orgId));
    await page.locator(`[data-place="${yard}"] .tree-number`).getByText('1', { exact: true }).waitFor();
    await page.evaluate(`location.hash = '#/place/${yard}'`);
    const figure = (word: string) => page.locator('.figures .card', { hasText: word }).locator('dd');
    await figure('Missing').getByText('1', { exact: true }).waitFor();
    await figure('Here').getByText('1', { exact: true }).waitFor();
    await page.evaluate("location.hash = '#/find?q=CRATE-2'");
    await page.locator('.found', { hasText: 'CRATE-2' }).locator('.badge', { hasText: 'Missing' }).waitFor();
  });

  it('counts ages by the server’s clock, whatever the device’s says', async () => {
    const device = await app.browser.device({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
    await device.context.addCookies([{ name: 'tagtrail_session', value: token, url: app.url }]);
    await device.setTime(Date.now() + 600_000);
    await database.rows('update reader_counters set last_message_at = now() where reader_id = $1', [
      readerId,
    ]);
    const page = await device.open(`${app.url}/#/readers`);
    const row = page.locator('tr', { hasText: 'North gate' });
    await row.getByText(/^\d+ s ago$/).waitFor();
  });

  it('shows what is at a place, and what came and went', async () => {
    const page = await app.open(`#/place/${place.yard}`, token);
    await page.locator('.table', { hasText: 'LIFT-1' }).waitFor();
    await page.locator('.is-arrival', { hasText: 'DOCK' }).first().waitFor();
    await page.getByRole('link', { name: 'North gate, antenna 2' }).waitFor();
    await page.getByText('2 stays that ended in the last 7 days').waitFor();
    expect(await faultsOf(page, 'place')).to.deep.equal([]);
  });
});

describe('the photo of an asset, and notes on it, in the console', () => {
  const app = useConsoleApp();
  let site: Site;
  let asset: number;

  before(async () => {
    site = await Site.create(app.database, 'Acme');
    asset = await site.asset('LIFT-1');
  });

  /** 60 x 30 pixels as stored, which a camera held upright says to show as 30 x 60. */
  async function uprightJpeg(page: Page): Promise<Buffer> {
    const bytes = await page.evaluate<number[]>(`new Promise((done) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [60, 30];
      canvas.getContext('2d').fillRect(0, 0, 60, 30);
      canvas.toBlob(async (blob) => done([...new Uint8Array(await blob.arrayBuffer())]), 'image/jpeg');
    })`);
    const exif = Buffer.from(
      'ffe1' +
        '0022' +
        '457869660000' +
        '4d4d002a00000008' +
        '0001' +
        '011200030000000100060000' +
        '00000000',
      'hex',
    );
    return Buffer.concat([Buffer.from(bytes).subarray(0, 2), exif, Buffer.from(bytes).subarray(2)]);
  }

  it('is scaled and turned upright, is replaced and removed, in German and by keys', async () => {
    const page = await app.open(`#/asset/${asset}`, await app.as('operator', site.orgId), {
      ...{ locale: 'de-DE', viewport: { width: 1400, height: 900 } },
    });
    const upright = await uprightJpeg(page);
    const input = page.getByLabel('Foto hinzufügen');
    await input.focus();
    await input.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('<svg/>') });
    await page.getByText('Dieser Browser kann die Datei nicht als Bild zeigen.').waitFor();
    await input.setInputFiles({ name: 'lift.jpg', mimeType: 'image/jpeg', buffer: upright });
    const photo = page.getByRole('img', { name: 'Foto von LIFT-1' });
    await photo.waitFor();
    await until(page, `document.querySelector('.asset-photo').naturalWidth === 30`);
    const rows = await app.database.rows(
      `select width, height, media_type from asset_photos where org_id = $1`,
      [site.orgId],
    );
    expect(rows).to.deep.equal([{ width: 30, height: 60, media_type: 'image/jpeg' }]);
    const large = encodePng({
      width: 3_200,
      height: 20,
      palette: [[1, 2, 3]],
      pixels: new Uint8Array(64_000),
    });
    await page
      .getByLabel('Anderes Foto')
      .setInputFiles({ name: 'l.png', mimeType: 'image/png', buffer: large });
    await until(page, `document.querySelector('.asset-photo').naturalWidth === 1600`);
    expect(await faultsOf(page, 'asset-photo')).to.deep.equal([]);
    await page.setViewportSize({ width: 390, height: 844 });
    // A retired asset can do without it, and gets no other.
    await app.database.rows('update assets set deleted_at = now() where id = $1', [asset]);
    await page.reload();
    await photo.waitFor();
    expect(await page.getByLabel('Anderes Foto').count()).to.equal(0);
    await page.getByRole('button', { name: 'Foto entfernen' }).press('Enter');
    await photo.waitFor({ state: 'detached' });
    await page.getByText('hat das Foto von Objekt LIFT-1 geändert').first().waitFor();
    await app.database.rows('update assets set deleted_at = null where id = $1', [asset]);
  });

  it('keeps notes with who wrote them, and asks before a typed one is lost', async () => {
    const page = await app.open(`#/asset/${asset}`, await app.as('operator', site.orgId));
    await page.getByLabel('New note').fill('<b>Left fork</b> is bent');
    await page.getByRole('link', { name: 'Places' }).first().click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Add note' }).press('Enter');
    const note = page.getByRole('region', { name: 'Notes' }).getByRole('listitem');
    await note.getByText('<b>Left fork</b> is bent').waitFor();
    await note.getByText('Somebody').waitFor();
    expect(await page.getByLabel('New note').inputValue()).to.equal('');
    await page.getByText('wrote a note on asset LIFT-1').waitFor();
    const viewer = await app.open(`#/asset/${asset}`, await app.as('viewer', site.orgId));
    await viewer.getByText('<b>Left fork</b> is bent').first().waitFor();
    expect(await viewer.getByLabel('New note').count()).to.equal(0);
    expect(await viewer.getByText('Add a photo').count()).to.equal(0);
  });
});
