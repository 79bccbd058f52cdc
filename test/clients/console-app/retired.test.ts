import { expect } from 'chai';
import { CSV_COLUMNS } from '../../../clients/console-app/src/api/answers.ts';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { DESK, faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const TAGS = ['E28011600000020912340001', 'E28011600000020912340002'];

describe('an asset that was retired', () => {
  const app = useConsoleApp();
  let id: number;

  before(async () => {
    const site = Site.of(app.database, app.orgId);
    const dock = await site.location('DOCK');
    const readerId = await site.reader('gate', [dock]);
    const { body } = await app.call({
      ...{ method: 'POST', path: '/assets' },
      json: {
        ...{
          name: 'Pallet 7',
          external_key: 'PALLET-7',
          description: 'Blue',
          metadata: { owner: 'Blue Line' },
        },
        tags: TAGS.map((value) => ({ tag_type: 'rfid', value })),
      },
    });
    id = body.data.id;
    const at = (Date.now() - 3_600_000) * 1_000;
    await record(app.database, [
      aRead({ orgId: app.orgId, readerId, value: TAGS[0] ?? '', locationId: dock, at, rssi: -50 }),
    ]);
    await sealBatch(app.database.pool, [{ orgId: app.orgId, after: 0, share: 1_000 }]);
    // Detached before: it does not come back.
    const [, second] = body.data.tags;
    await app.call({ method: 'DELETE', path: `/assets/${id}/tags/${second.id}` });
    await app.call({ method: 'DELETE', path: `/assets/${id}` });
  });

  it('is opened with its history, read-only, by a link and in the list', async () => {
    const page = await app.open(`#/asset/${id}`, await app.as('viewer'));
    await page.getByRole('heading', { level: 1, name: 'Pallet 7' }).waitFor();
    await page.getByText('was last at').waitFor();
    await page.locator('.stay-table', { hasText: 'DOCK' }).waitFor();
    const retired = page.getByRole('region', { name: 'Retired' });
    await page
      .locator('.asset-tags')
      .getByText(TAGS[0] ?? '')
      .waitFor();
    await retired.getByText('Its history stays.').waitFor();
    expect(await page.getByRole('button', { name: 'Restore' }).count()).to.equal(0);
    await page.getByRole('link', { name: 'Why there?' }).click();
    await page.getByRole('heading', { name: 'Why Pallet 7 is at DOCK' }).waitFor();

    const listed = await app.open(`#/assets?open=${id}`);
    const sheet = listed.getByRole('dialog', { name: 'Pallet 7' });
    await sheet.waitFor();
    expect(await sheet.getByRole('textbox', { name: 'Name', exact: true }).isEditable()).to.equal(false);
    expect(await sheet.getByRole('button', { name: 'Save' }).count()).to.equal(0);
    await sheet.getByRole('link', { name: 'Where it is, and why' }).click();
    await listed.getByText('Its history stays.').waitFor();
    expect(await faultsOf(listed, 'asset-retired')).to.deep.equal([]);
  });

  it('is named alike in the German log of changes, as is a place', async () => {
    const place = (
      await app.call({
        ...{ method: 'POST', path: '/locations' },
        json: { name: 'Lade', external_key: 'LADE' },
      })
    ).body.data.id;
    await app.call({ method: 'DELETE', path: `/locations/${place}` });
    const page = await app.open(`#/asset/${id}`, await app.as('viewer'), { locale: 'de-DE' });
    const line = page.locator('.change', { hasText: 'hat Objekt PALLET-7 ausgemustert' });
    await line.getByText('Ausgemustert', { exact: true }).waitFor();
    const ofPlace = await app.open(`#/place/${place}`, await app.as('viewer'), { locale: 'de-DE' });
    const other = ofPlace.locator('.change', { hasText: 'hat Ort LADE aufgegeben' });
    await other.getByText('Aufgegeben', { exact: true }).waitFor();
  });

  it('is one of many that were ticked on all pages, which can be stopped', async () => {
    const site = await Site.create(app.database, 'Many');
    await app.database.rows(
      `insert into assets (org_id, external_key, name)
       select $1, 'CRATE-' || number, 'Crate ' || number from generate_series(101, 152) number`,
      [site.orgId],
    );
    const live = async () =>
      (await app.call({ path: '/assets?limit=1', token: await app.as('viewer', site.orgId) })).body
        .total_count;
    const page = await app.open('#/assets', await app.as('operator', site.orgId));
    await page.getByRole('checkbox', { name: 'all' }).first().check();
    await page.getByRole('button', { name: 'Tick all 52' }).click();
    const ticked = page.getByRole('region', { name: '52 ticked' });
    const found = await faultsOf(page, 'assets-ticked');
    await page.setViewportSize(DESK.viewport);
    let held: (() => Promise<void>) | undefined;
    let sent = 0;
    let lists = 0;
    page.on('request', (request) => {
      lists += request.url().includes('/assets?') && request.url().includes('limit=50') ? 1 : 0;
    });
    await page.route('**/console/v1/assets/*', async (route) => {
      sent += 1;
      if (sent === 3) {
        held = () => route.continue();
      } else {
        await route.continue();
      }
    });
    await ticked.getByRole('button', { name: 'Retire' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retire' }).click();
    await ticked.getByText('2 retired').waitFor();
    await ticked.getByRole('button', { name: 'Stop' }).click();
    await held?.();
    await page.locator('.toast', { hasText: '3 retired' }).waitFor();
    await page.getByText('49 assets').waitFor();
    expect(lists, 'The list is read again at the end only').to.equal(1);
    expect(await live()).to.equal(49);
    await page.unroute('**/console/v1/assets/*');
    await ticked.getByRole('button', { name: 'Tick none' }).click();
    await ticked.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Crate 110' }).check();
    await page.getByRole('region', { name: '1 ticked' }).getByRole('button', { name: 'Retire' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retire' }).click();
    await page.getByText('48 assets').waitFor();
    expect(new URL(page.url()).hash).to.equal('#/assets');
    expect(found).to.deep.equal([]);
  });

  it('is looked at by its own organization only, and by no other way than as retired', async () => {
    const other = await app.people.organization('Other');
    const foreign = await app.as('admin', other);
    const path = `/retired-assets/${id}`;
    expect((await app.call({ path, token: foreign })).status).to.equal(404);
    expect((await app.call({ path: `/assets/${id}/stays`, token: foreign })).status).to.equal(404);
    expect((await app.call({ path: `/assets/${id}` })).status).to.equal(404);
    const { body } = await app.call({ method: 'POST', path: '/assets', json: { name: 'Live' } });
    expect((await app.call({ path: `/retired-assets/${body.data.id}` })).status).to.equal(404);
  });

  it('has a sister: a place is opened with what was there, and comes back with its key and tags', async () => {
    const site = Site.of(app.database, app.orgId);
    const json = {
      ...{
        name: 'Shelf 9',
        external_key: 'SHELF-9',
        description: 'Left',
        valid_to: '2099-01-01T00:00:00.000Z',
      },
      ...{ valid_from: '2020-01-01T00:00:00.000Z', is_active: false, parent_external_key: 'AISLE-9' },
      ...{ gln: '4012345000009', biz_step: 'storing', disposition: 'in_progress' },
      tags: [{ tag_type: 'barcode', value: 'SHELF-TAG-9' }],
    };
    await app.call({
      method: 'POST',
      path: '/locations',
      json: { name: 'Aisle 9', external_key: 'AISLE-9' },
    });
    const shelf = (await app.call({ method: 'POST', path: '/locations', json })).body.data.id;
    await site.asset('CRATE-9', 'E28099');
    const readerId = await site.reader('shelves', []);
    const yard = await site.location('YARD');
    for (const [locationId, ago] of [
      [shelf, 1_800],
      [yard, 600],
    ]) {
      const at = (Date.now() - ago * 1_000) * 1_000;
      await record(app.database, [
        aRead({ orgId: app.orgId, readerId, value: 'E28099', locationId, at, rssi: -50 }),
      ]);
    }
    await app.database.rows("update locations set created_at = now() - interval '1 day' where id = $1", [
      shelf,
    ]);
    expect((await app.call({ method: 'DELETE', path: `/locations/${shelf}` })).status).to.equal(204);
    const page = await app.open(`#/place/${shelf}`);
    await page.getByRole('heading', { level: 1, name: 'Shelf 9' }).waitFor();
    await page.getByRole('region', { name: 'Last here' }).getByRole('link', { name: 'CRATE-9' }).waitFor();
    expect(await faultsOf(page, 'place-retired')).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Restore as a new place' }).click();
    await page.waitForURL((url) => /#\/place\/\d+$/.test(url.href) && !url.href.endsWith(`/${shelf}`));
    const { body } = await app.call({ path: '/locations?external_key=SHELF-9&include_not_in_effect=true' });
    const [made, ...others] = body.data;
    expect(others).to.deep.equal([]);
    expect(
      body.data.map(({ tags }: { tags: { value: string }[] }) => tags.map(({ value }) => value)),
    ).to.deep.equal([['SHELF-TAG-9']]);
    const { tags, ...columns } = json;
    expect(made, 'every column comes back').to.deep.include(columns);
    expect(['tags', ...Object.keys(columns)]).to.have.members(CSV_COLUMNS.location);
  });

  itByNight('comes back as a new one with its key and the tags it had, unless they are taken', async () => {
    const page = await app.open(`#/asset/${id}`, app.token, { locale: 'de-DE' });
    const restore = page.getByRole('button', {
      name: 'Als neues Objekt mit diesem Schlüssel und diesen Etiketten wiederherstellen',
    });
    await restore.waitFor();
    expect(await faultsOf(page, 'asset-retired-german')).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await restore.click();
    await page.waitForURL((url) => /#\/asset\/\d+$/.test(url.href) && !url.href.endsWith(`/${id}`));
    const { body } = await app.call({ path: '/assets?external_key=PALLET-7' });
    expect(body.data).to.have.length(1);
    const [made] = body.data;
    expect(made.id).not.to.equal(id);
    expect(made).to.deep.include({
      ...{ name: 'Pallet 7', description: 'Blue', metadata: { owner: 'Blue Line' }, deleted_at: null },
    });
    expect(made.tags.map(({ value }: { value: string }) => value)).to.deep.equal([TAGS[0]]);

    await page.goto(`${app.url}/#/asset/${id}`);
    await page.reload();
    await restore.click();
    await page.getByRole('alert').getByText('PALLET-7').waitFor();
    expect((await app.call({ path: '/assets?external_key=PALLET-7' })).body.data).to.have.length(1);
  });
});
