import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const WIDE = { width: 1400, height: 900 };
const PHONE = { width: 390, height: 844 };

describe('the list of assets in the console', () => {
  const app = useConsoleApp();
  let orgId: number;
  const tokenOf = (role: 'viewer' | 'operator') => app.as(role, orgId);
  const hashOf = (page: { url(): string }) => decodeURIComponent(new URL(page.url()).hash);

  before(async () => {
    ({ orgId } = await Site.create(app.database, 'Acme'));
    await app.database.rows(
      `insert into assets (org_id, external_key, name, metadata)
       select $1, 'CRATE-' || n, 'Crate ' || n,
         json_build_object('owner', case n % 2 when 0 then 'Blue Line' else 'Red & Co.' end, 'kg', n % 3)
       from generate_series(101, 160) n`,
      [orgId],
    );
    const site = Site.of(app.database, orgId);
    const hall = await site.location('HALL');
    const dock = await site.location('DOCK', hall);
    const readerId = await site.reader('gate', [dock]);
    await app.database.rows(
      `insert into tags (org_id, tag_type, value, tag_key, asset_id)
       select $1, 'rfid', 'E28011', 'E28011', id from assets where org_id = $1 and external_key = 'CRATE-101'`,
      [orgId],
    );
    const at = (Date.now() - 3_600_000) * 1_000;
    await record(app.database, [
      aRead({ orgId, readerId, value: 'E28011', locationId: dock, at, rssi: -50 }),
    ]);
  });

  for (const [locale, words] of [
    [
      'en-GB',
      {
        add: 'Filter by a field',
        name: 'Name of the field',
        value: 'Value of',
        filter: 'Filter',
        without: 'Without the filter',
      },
    ],
    [
      'de-DE',
      {
        add: 'Nach einem Feld filtern',
        name: 'Name des Feldes',
        value: 'Wert von',
        filter: 'Filtern',
        without: 'Ohne den Filter',
      },
    ],
  ] as const) {
    it(`is filtered by fields of metadata, in the address: ${locale}`, async () => {
      const page = await app.open('#/assets', await tokenOf('viewer'), { locale, viewport: WIDE });
      const found: string[] = [];
      const filterBy = async (name: string, value: string) => {
        await page.getByText(words.add).click();
        await page.getByLabel(words.name).fill(name);
        await page.locator(`.field-filter option[value="${value}"]`).first().waitFor({ state: 'attached' });
        await page.getByLabel(`${words.value} ${name}`).fill(value);
        if (value === '1') {
          found.push(...(await faultsOf(page, `assets-by-field-${locale}`)));
          await page.setViewportSize(PHONE);
          expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);
        }
        await page.getByRole('button', { name: words.filter, exact: true }).click();
      };
      await filterBy('owner', 'Red & Co.');
      await page.locator('.page-head', { hasText: '30' }).waitFor();
      await filterBy('kg', '1');
      await page.locator('.page-head', { hasText: '10' }).waitFor();
      expect(hashOf(page)).to.equal('#/assets?metadata.owner=Red+&+Co.&metadata.kg=1');
      await page.emulateMedia({ media: 'print' });
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      await page.locator('.print-head', { hasText: 'Acme · owner: Red & Co. · kg: 1 · ' }).waitFor();
      await page.evaluate("dispatchEvent(new Event('afterprint'))");

      const sent = await app.open(new URL(page.url()).hash, await tokenOf('viewer'), { locale });
      await sent.getByRole('link', { name: `${words.without} owner: Red & Co.` }).click();
      await sent.locator('.page-head', { hasText: '20' }).waitFor();
      expect(hashOf(sent)).to.equal('#/assets?metadata.kg=1');
      const labels = await sent.locator('a[href*="labels"]').first().getAttribute('href');
      expect(labels).to.include('metadata.kg=1');
      found.push(...(await faultsOf(sent, `assets-filtered-${locale}`)));
      expect(found).to.deep.equal([]);
    });
  }

  it('shows all assets that have the value of an asset', async () => {
    const [asset] = await app.database.rows<{ id: number }>(
      `update assets set metadata = (metadata::jsonb || jsonb_build_object('log', repeat('x', 20000)))::json
       where org_id = $1 and external_key = 'CRATE-101' returning id`,
      [orgId],
    );
    const page = await app.open(`#/asset/${asset?.id}`, await tokenOf('viewer'));
    // No request has room for this one.
    await page
      .getByRole('definition')
      .filter({ hasText: /^x{20000}$/ })
      .waitFor();
    expect(await page.getByRole('link', { name: /xxx/ }).count()).to.equal(0);
    await page.getByRole('link', { name: 'Red & Co.' }).click();
    await page.getByText('30 assets').waitFor();
    await page.getByRole('link', { name: 'Labels' }).click();
    await page.getByText('30 labels').waitFor();
  });

  for (const [locale, words] of [
    [
      'en-GB',
      {
        state: 'In any state',
        never: 'Never seen',
        seen: 'Seen at any time',
        place: 'Place',
        below: 'and what is inside',
      },
    ],
    ['de-DE', { state: 'Jeder Zustand', never: '', seen: 'Egal, wann gesehen', place: 'Ort', below: '' }],
  ] as const) {
    it(`is filtered by state, place and when assets were last seen: ${locale}`, async () => {
      const page = await app.open('#/assets', await tokenOf('viewer'), { locale, viewport: WIDE });
      const total = (count: number) =>
        page.locator('.page-head', { hasText: new RegExp(`(^|\\D)${count} `) }).waitFor();
      await page.getByLabel(words.seen).selectOption('unseen_for_seconds=86400');
      await total(59);
      await page.getByLabel(words.seen).selectOption('seen_within_seconds=86400');
      await total(1);
      await page.getByLabel(words.state).selectOption('present');
      await total(1);
      const place = page.getByRole('combobox', { name: words.place, exact: true });
      await place.fill('hall');
      await page.getByRole('option', { name: 'HALL' }).click();
      await total(0);
      await page.locator('.report-place input[type=checkbox]').check();
      await total(1);
      expect(hashOf(page)).to.equal(
        '#/assets?seen_within_seconds=86400&state=present&location_external_key=HALL&include_descendants=true',
      );
      const found = await faultsOf(page, `assets-by-state-${locale}`);
      await page.setViewportSize(PHONE);
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);
      await page.getByLabel(words.state).selectOption('never_seen');
      await total(0);
      await page.getByLabel(words.seen).selectOption('');
      await place.fill('');
      await page.locator('.picker-list [role=option]').first().click();
      await total(59);
      expect(found).to.deep.equal([]);
    });
  }

  for (const [locale, words] of [
    ['en-GB', { columns: 'Columns', name: 'Name of the field', show: 'Show', usual: 'Usual columns' }],
    ['de-DE', { columns: 'Spalten', name: 'Name des Feldes', show: 'Zeigen', usual: 'Übliche Spalten' }],
  ] as const) {
    it(`has the columns that a person chose, in the address and at the next visit: ${locale}`, async () => {
      const token = await tokenOf('viewer');
      const page = await app.open('#/assets?q=CRATE-102', token, { locale, viewport: WIDE });
      const heads = async (of = page) =>
        (await of.locator('table thead th:visible').allTextContents()).map((text) => text.trim());
      await page.getByText('Crate 102').waitFor();
      const usual = await heads();
      await page.getByRole('button', { name: words.columns }).click();
      const choice = page.getByRole('region', { name: words.columns });
      await choice.getByLabel('owner').check();
      const boxes = choice.getByRole('checkbox');
      await boxes.nth(1).uncheck();
      await choice.getByLabel(words.name).fill('  ');
      await choice.getByRole('button', { name: words.show }).click();
      expect(hashOf(page)).not.to.include('metadata.+');
      await choice.getByLabel(words.name).fill('dépôt & co');
      await choice.getByRole('button', { name: words.show }).click();
      await page.getByRole('columnheader', { name: 'dépôt & co' }).waitFor();
      expect(hashOf(page)).to.equal(
        '#/assets?q=CRATE-102&column=name&column=external_key&column=last_seen&column=tags&column=updated_at' +
          '&column=metadata.owner&column=metadata.dépôt+&+co',
      );
      await page.getByRole('cell', { name: 'Blue Line' }).waitFor();
      const found = await faultsOf(page, `assets-columns-${locale}`);
      await page.setViewportSize(PHONE);
      await page.keyboard.press('Escape');
      expect(await heads()).to.include('owner');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);
      found.push(...(await faultsOf(page, `assets-chosen-columns-${locale}`)));
      const saving = page.waitForEvent('download');
      await page.locator('.pager .quiet').first().click();
      const saved = readFileSync(await (await saving).path(), 'utf8').split('\r\n');
      expect(saved[0]).to.match(/[,;]owner[,;]dépôt & co$/);
      expect(saved[1]).to.match(/[,;]Blue Line[,;]$/);

      await page.goto(`${app.url}/#/now`);
      await page.goto(`${app.url}/#/assets?q=CRATE-103`);
      await page.reload();
      await page.getByRole('cell', { name: 'Red & Co.' }).waitFor();
      const sent = await app.open('#/assets?q=CRATE-103&column=name&column=metadata.kg', token, { locale });
      await sent.getByText('Crate 103').waitFor();
      expect((await heads(sent)).slice(-1)).to.deep.equal(['kg']);

      await sent.getByRole('searchbox').fill('');
      await sent.getByRole('link', { name: 'kg', exact: true }).click();
      await sent.locator('[aria-sort=ascending]', { hasText: 'kg' }).waitFor();
      await sent.getByRole('cell', { name: '0', exact: true }).first().waitFor();
      await sent.getByRole('link', { name: 'kg', exact: true }).click();
      await sent.locator('[aria-sort=descending]', { hasText: 'kg' }).waitFor();
      await sent.getByRole('cell', { name: '2', exact: true }).first().waitFor();
      expect(hashOf(sent)).to.equal('#/assets?column=name&column=metadata.kg&sort=-metadata.kg');

      await page.setViewportSize(WIDE);
      await page.getByRole('button', { name: words.columns }).click();
      await page.getByRole('button', { name: words.usual }).click();
      expect(await heads()).to.deep.equal(usual);
      expect(hashOf(page)).to.equal('#/assets?q=CRATE-103');
      expect(found).to.deep.equal([]);
    });
  }

  for (const [locale, words] of [
    [
      'en-GB',
      {
        ...{ views: 'Views', name: 'Name of the view', save: 'Save what is shown', replace: 'Replace' },
        ...{
          shown: 'View: Red ones',
          saved: 'View Red ones saved',
          remove: 'Remove the view Red ones',
          undo: 'Undo',
        },
      },
    ],
    [
      'de-DE',
      {
        ...{ views: 'Ansichten', name: 'Name der Ansicht', save: 'Speichern, was zu sehen ist' },
        ...{
          shown: 'Ansicht: Red ones',
          saved: 'Ansicht Red ones gespeichert',
          remove: 'Ansicht Red ones entfernen',
        },
        ...{ undo: 'Rückgängig', replace: 'Ersetzen' },
      },
    ],
  ] as const) {
    it(`has views that operators name, and everybody opens: ${locale}`, async () => {
      await app.database.rows('delete from asset_views');
      const query = new URLSearchParams([
        ['metadata.owner', 'Red & Co.'],
        ['sort', '-metadata.kg'],
        ['column', 'name'],
        ['column', 'metadata.kg'],
      ]);
      const page = await app.open(`#/assets?${query}`, await tokenOf('operator'), { locale, viewport: WIDE });
      const found: string[] = [];
      const choose = (name: string, of = page) => of.getByRole('button', { name, exact: true }).click();
      const save = async () => {
        await page.getByLabel(words.name).fill(' Red ones ');
        await choose(words.save);
      };
      await page.locator('.page-head', { hasText: '30' }).waitFor();
      await choose(words.views);
      found.push(...(await faultsOf(page, `assets-no-views-${locale}`)));
      await page.setViewportSize(WIDE);
      await save();
      await page.locator('.toast', { hasText: words.saved }).waitFor();
      await page.getByRole('button', { name: words.shown, exact: true }).waitFor();
      found.push(...(await faultsOf(page, `assets-views-${locale}`)));
      await page.setViewportSize(WIDE);

      const viewer = await app.open('#/assets', await tokenOf('viewer'), { locale, viewport: PHONE });
      await choose(words.views, viewer);
      expect(await viewer.getByLabel(words.name).count()).to.equal(0);
      await viewer.getByRole('link', { name: 'Red ones', exact: true }).click();
      await viewer.locator('.page-head', { hasText: '30' }).waitFor();
      await viewer.locator('[aria-sort=descending]', { hasText: 'kg' }).waitFor();
      expect(hashOf(viewer)).to.equal(
        '#/assets?column=name&column=metadata.kg&metadata.owner=Red+&+Co.&sort=-metadata.kg',
      );
      expect(await viewer.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);

      await page.getByRole('searchbox').first().click();
      await page.getByRole('searchbox').first().fill('Crate 103');
      await page.locator('.page-head', { hasText: /(^|\D)1 / }).waitFor();
      await choose(words.views);
      await save();
      await page.getByRole('alertdialog').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.getByLabel(words.name).inputValue()).to.equal(' Red ones ');
      await choose(words.save);
      await page.getByRole('alertdialog').getByRole('button', { name: words.replace }).click();
      await page.getByRole('button', { name: words.shown, exact: true }).waitFor();
      await choose(words.remove);
      await choose(words.undo);
      await choose(words.shown);
      await page.getByRole('button', { name: words.remove }).waitFor();
      const stored = await app.database.rows('select name, query from asset_views where org_id = $1', [
        orgId,
      ]);
      expect(stored).to.deep.equal([
        {
          name: 'Red ones',
          query: 'column=name&column=metadata.kg&metadata.owner=Red+%26+Co.&q=Crate+103&sort=-metadata.kg',
        },
      ]);
      await choose(words.remove);
      await page.getByRole('link', { name: 'Red ones' }).waitFor({ state: 'detached' });
      expect(found).to.deep.equal([]);
    });
  }

  it('sets a field of all that are ticked, which can be stopped, and exports them', async () => {
    const token = await app.as('admin', orgId);
    const page = await app.open('#/assets?metadata.owner=Blue+Line', token, { viewport: WIDE });
    await page.getByText('Crate 102').waitFor();
    await page.getByRole('checkbox', { name: 'all' }).first().check();
    const ticked = page.getByRole('region', { name: '30 ticked' });
    await ticked.getByText('Set a field').first().click();
    await ticked.getByLabel('Name of the field').fill('kg');
    await ticked.getByLabel('Value of kg').fill('7');
    const found = await faultsOf(page, 'assets-set-field');
    await page.setViewportSize(PHONE);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width);
    await page.setViewportSize(WIDE);
    let held: (() => Promise<void>) | undefined;
    let sent = 0;
    await page.route(/assets\/\d+$/, async (route) => {
      sent += 1;
      if (sent === 3) {
        held = () => route.continue();
      } else {
        await route.continue();
      }
    });
    await ticked.getByRole('button', { name: 'Set for 30 assets' }).click();
    await ticked.getByText('2 changed').waitFor();
    await ticked.getByRole('button', { name: 'Stop' }).click();
    await held?.();
    await page.locator('.toast', { hasText: '3 changed' }).waitFor();
    await page.unroute(/assets\/\d+$/);
    const withSeven = async () =>
      (await app.call({ path: '/assets?metadata.kg=7&metadata.owner=Blue+Line', token })).body.total_count;
    expect(await withSeven()).to.equal(3);
    await ticked.getByRole('button', { name: 'Set for 30 assets' }).click();
    await page.locator('.toast', { hasText: '30 changed' }).waitFor();
    expect(await withSeven()).to.equal(30);
    const [{ metadata } = {}] = (await app.call({ path: '/assets?external_key=CRATE-102', token })).body.data;
    expect(metadata).to.deep.equal({ owner: 'Blue Line', kg: 7 });

    const saving = page.waitForEvent('download');
    await ticked.getByRole('button', { name: 'Export' }).click();
    const lines = readFileSync(await (await saving).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines[0]).to.match(/^\ufeffexternal_key,name,/);
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(
      Array.from({ length: 30 }, (_, index) => `CRATE-${102 + 2 * index}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('adds what is ticked to a rule beside what others add at once, and says which rules need none', async () => {
    const token = await app.as('admin', orgId);
    const rule = async (name: string, keys: string[] | null) => {
      const json = {
        kind: 'dwell',
        name,
        after_seconds: 60,
        location_external_key: 'HALL',
        asset_external_keys: keys,
      };
      const { body, text } = await app.call({ method: 'POST', path: '/rules', json, token });
      expect(body?.data?.id, text).to.be.a('string');
      return body.data.id;
    };
    const some = await rule('Some crates', ['CRATE-101']);
    await rule('All crates', null);
    const page = await app.open('#/assets?pick=CRATE-101&pick=CRATE-105', token);
    const choice = page.getByLabel('Add to a rule');
    await choice.focus();
    await choice.selectOption({ label: 'All crates' });
    await page.getByText('All crates is not limited to single assets').waitFor();
    await page.route(new RegExp(`rules/${some}$`), async (route) => {
      if (route.request().method() === 'PATCH') {
        const json = { added_asset_external_keys: ['CRATE-103'] };
        await app.call({ method: 'PATCH', path: `/rules/${some}`, json, token });
      }
      await route.continue();
    });
    await choice.selectOption({ label: 'Some crates' });
    await page.getByText('Some crates is about 3 assets now').waitFor();
    const { body } = await app.call({ path: `/rules/${some}`, token });
    expect(body.data.asset_external_keys).to.have.members(['CRATE-101', 'CRATE-103', 'CRATE-105']);
    const operator = await app.open('#/assets?pick=CRATE-101', await tokenOf('operator'));
    await operator.getByRole('region', { name: '1 ticked' }).waitFor();
    expect(await operator.getByLabel('Add to a rule').count()).to.equal(0);
  });
});
