import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../support/browser.ts';
import { DESK, faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

describe('what was typed in the console', () => {
  const app = useConsoleApp();
  let place: number;

  before(async () => {
    place = await Site.of(app.database, app.orgId).location('DOCK');
  });

  const make = async (name: string): Promise<number> =>
    (await app.call({ method: 'POST', path: '/assets', json: { name } })).body.data.id;
  const makeReader = async (name: string): Promise<number> => {
    const json = { name, topic: `org-${app.orgId}/${name}`, format: 'none' };
    return (await app.call({ method: 'POST', path: '/readers', json })).body.data.id;
  };
  const stored = async (id: number) => (await app.call({ path: `/assets/${id}` })).body.data;
  const change = (id: number, json: object) => app.call({ method: 'PATCH', path: `/assets/${id}`, json });
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });

  it('is saved beside what somebody else has changed in other fields', async () => {
    const id = await make('Mesh box');
    const page = await app.open(`#/assets?open=${id}`);
    await field(page, 'Name').fill('Mesh box, mine');
    await change(id, { description: 'Theirs', metadata: { owner: 'Blue Line' } });
    await save(page).click();
    await page.getByText('Saved').first().waitFor();
    expect(await stored(id)).to.deep.include({
      ...{ name: 'Mesh box, mine', description: 'Theirs', metadata: { owner: 'Blue Line' } },
    });
    expect(await field(page, 'Description').inputValue()).to.equal('Theirs');
  });

  it('stays where somebody else has changed the same field, with theirs beside it', async () => {
    const id = await make('Roll cage');
    const page = await app.open(`#/assets?open=${id}`);
    await field(page, 'Name').fill('Roll cage, mine');
    await change(id, { name: 'Roll cage, theirs', is_active: false });
    await save(page).click();
    await page.getByText('Somebody else changed this asset').waitFor();
    const theirs = page.getByRole('region', { name: 'Changed by somebody else in the meantime' });
    await theirs.getByText('Roll cage, theirs').waitFor();
    expect(await field(page, 'Name').inputValue()).to.equal('Roll cage, mine');
    expect(await page.getByRole('checkbox', { name: 'Active' }).isChecked()).to.equal(false);
    expect(await faultsOf(page, 'asset-conflict')).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await save(page).click();
    await page.getByText('Saved').first().waitFor();
    expect(await stored(id)).to.include({ name: 'Roll cage, mine', is_active: false });

    await field(page, 'Name').fill('Roll cage, mine again');
    await change(id, { name: 'Roll cage, theirs again' });
    await save(page).click();
    await theirs.getByRole('button', { name: 'Take theirs' }).click();
    expect(await field(page, 'Name').inputValue()).to.equal('Roll cage, theirs again');
    expect(await save(page).isDisabled()).to.equal(true);
  });

  it('is a field of metadata by name and value, with those of other assets as suggestions', async () => {
    const id = await make('Cylinder');
    await change(id, { metadata: { bar: 200, checked: true, of: { maker: 'Vale' } } });
    await change(await make('Other'), { metadata: { owner: 'Blue Line' } });
    const page = await app.open('#/assets?q=cylinder');
    await page.getByRole('link', { name: 'Cylinder' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cylinder' }).waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Add a field' }).click();
    const name = page.getByLabel('Name of the field').last();
    await until(page, `document.querySelector('.metadata > datalist option[value=owner]') !== null`);
    await name.fill('bar');
    await until(
      page,
      `document.querySelector('.metadata-row input:invalid').validationMessage.includes('already')`,
    );
    await name.fill('owner');
    await until(
      page,
      `[...document.querySelectorAll('.metadata-row option')]
      .some(({ value }) => value === 'Blue Line')`,
    );
    await page.getByLabel('Value of owner').fill('Blue Line');
    await page.getByLabel('Value of bar').fill('180.5');
    await page.getByLabel('Value of checked').fill('last year');
    expect(await page.getByLabel('Value of of').isEditable()).to.equal(false);
    const found = await faultsOf(page, 'asset-metadata');
    await page.setViewportSize(DESK.viewport);
    await change(id, { metadata: { bar: 200, checked: true, of: { maker: 'Vale' } }, description: 'Theirs' });
    await save(page).click();
    await page.getByText('Saved').first().waitFor();
    expect(await stored(id)).to.deep.include({
      ...{ description: 'Theirs', name: 'Cylinder' },
      metadata: { bar: 180.5, checked: 'last year', of: { maker: 'Vale' }, owner: 'Blue Line' },
    });
    await page.keyboard.press('Escape');
    const facts = page.getByRole('region', { name: 'Details' });
    await facts.getByText('Blue Line').waitFor();
    await facts.getByText('Theirs').waitFor();
    found.push(...(await faultsOf(page, 'asset-facts')));
    expect(found).to.deep.equal([]);
    const other = await app.as('viewer', await app.people.organization('Other'));
    expect((await app.call({ path: '/metadata-fields', token: other })).body.data).to.deep.equal([]);
  });

  it('stays when a tag is attached beside it', async () => {
    const id = await make('Drum');
    const page = await app.open(`#/assets?open=${id}`);
    await field(page, 'Name').fill('Drum, blue');
    await page.getByLabel('Value', { exact: true }).fill('E2800000000000000000DD01');
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('button', { name: 'Detach E2800000000000000000DD01' }).waitFor();
    expect(await field(page, 'Name').inputValue()).to.equal('Drum, blue');
    await save(page).click();
    await page.getByText('Saved').first().waitFor();
    expect((await stored(id)).name).to.equal('Drum, blue');
  });

  itByNight(
    'is not lost by Esc, by a click outside, by the cross or the back button, unless that is meant',
    async () => {
      const id = await make('Gantry');
      const sheets = [
        { hash: `#/assets?open=${id}`, name: 'Name' },
        { hash: '#/assets?open=new', name: 'Name' },
        { hash: `#/places?open=${place}`, name: 'Description' },
        { hash: '#/settings/webhooks?open=new', name: 'Name' },
      ];
      for (const { hash, name } of sheets) {
        const page = await app.open('#/now');
        await page.getByRole('heading', { name: 'Now' }).first().waitFor();
        await page.evaluate(`location.hash = '${hash}'`);
        const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
        const typed = field(page, name);
        await typed.fill('Typed for a while');
        const ways = [
          () => page.keyboard.press('Escape'),
          // Twice in a row, which browsers do not let a page prevent.
          () => page.keyboard.press('Escape'),
          () => page.mouse.click(20, 400),
          () => page.getByRole('button', { name: 'Close' }).click(),
          () => page.evaluate('history.back()'),
        ];
        for (const way of ways) {
          await way();
          await question.waitFor();
          await page.keyboard.press('Escape');
          await question.waitFor({ state: 'detached' });
          expect(await typed.inputValue(), hash).to.equal('Typed for a while');
        }
        expect(await page.evaluate<string>('location.hash')).to.include(hash);
        await page.keyboard.press('Escape');
        await question.getByRole('button', { name: 'Discard' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.context().close();
      }
      expect((await stored(id)).name).to.equal('Gantry');
    },
  );

  it('of a rule is asked about before the page is left, and not once it is made', async () => {
    const page = await app.open('#/rules/new?kind=dwell', app.token, { locale: 'de-DE' });
    await field(page, 'Name').fill('Zu lange am Tor');
    await page.getByRole('link', { name: 'Objekte', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Eingaben verwerfen?' });
    await question.getByRole('button', { name: 'Abbrechen' }).click();
    expect(await field(page, 'Name').inputValue()).to.equal('Zu lange am Tor');
    await page.getByRole('combobox', { name: 'Ort', exact: true }).click();
    await page.getByRole('option', { name: 'DOCK' }).click();
    await page.getByRole('spinbutton', { name: 'Zu lange nach' }).fill('2');
    await page.getByRole('button', { name: 'Regel anlegen' }).click();
    await page.getByRole('heading', { name: 'Zu lange am Tor' }).waitFor();
    await page.getByRole('link', { name: 'Objekte', exact: true }).click();
    await page.getByRole('heading', { name: 'Objekte', exact: true }).waitFor();
  });

  it('of a rule is saved beside what somebody else has changed in it, and stays where that is the same', async () => {
    const rules = `/rules/${(await app.call({ method: 'POST', path: '/rules', json: { kind: 'overdue', after_seconds: 300 } })).body.data.id}`;
    const rule = async () => (await app.call({ path: rules })).body.data;
    const theirs = (json: object) => app.call({ method: 'PATCH', path: rules, json });
    await make('Pump');
    const [{ external_key: pump }] = (await app.call({ path: '/assets?q=pump' })).body.data;
    const page = await app.open(`#${rules}`);
    await page.getByText('About all assets').click();
    await field(page, 'Only with metadata').fill('owner=Vale');
    await theirs({ after_seconds: 600, asset_external_keys: [pump] });
    await save(page).click();
    await page.getByText('Rule changed').first().waitFor();
    expect(await rule()).to.deep.include({
      ...{ after_seconds: 600, asset_external_keys: [pump] },
      metadata: [{ path: ['owner'], value: 'Vale' }],
    });
    expect(await field(page, 'Only these').inputValue()).to.equal(pump);

    const lines = 'owner=Vale\ntype=pump';
    await field(page, 'Only with metadata').fill(lines);
    await field(page, 'Name').fill('Pumps, mine');
    await theirs({ metadata: [{ path: ['owner'], value: 'Blue Line' }] });
    await save(page).click();
    await page.getByText('Somebody else changed this rule').waitFor();
    const shown = page.getByRole('region', { name: 'Changed by somebody else in the meantime' });
    await shown.getByText('owner=Blue Line').waitFor();
    expect(await field(page, 'Only with metadata').inputValue()).to.equal(lines);
    expect(await faultsOf(page, 'rule-conflict')).to.deep.equal([]);
    await page.setViewportSize(DESK.viewport);
    await shown.getByRole('button', { name: 'Take theirs' }).click();
    await save(page).click();
    await page.getByRole('heading', { name: 'Pumps, mine' }).waitFor();
    expect((await rule()).metadata).to.deep.equal([{ path: ['owner'], value: 'Blue Line' }]);
  });

  it('in a pop-up is there when that is opened again', async () => {
    const page = await app.open('#/assets');
    for (const [button, label] of [
      ['Views', 'Name of the view'],
      ['Columns', 'Name of the field'],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click();
      const typed = page.getByRole('region', { name: button, exact: true }).getByLabel(label);
      await typed.fill('Typed for a while');
      await page.keyboard.press('Escape');
      await typed.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: button, exact: true }).click();
      expect(await typed.inputValue()).to.equal('Typed for a while');
      await page.getByRole('heading', { level: 1 }).click();
    }
  });

  it('of a format or a range of serial numbers is asked about before the page is left', async () => {
    const id = await makeReader('dock');
    const page = await app.open(`#/readers/new?reader=${id}&step=format&write=tagtrail`);
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    const definition = field(page, 'Definition');
    await until(page, `document.querySelector('textarea')?.value.includes('"my-tagtrail"')`);
    const source = (await definition.inputValue()).replace('my-tagtrail', 'mine');
    await definition.fill(source);
    for (const leave of [
      () => page.getByRole('button', { name: 'Cancel' }).click(),
      () => page.getByRole('link', { name: 'Assets', exact: true }).click(),
    ]) {
      await leave();
      await question.getByRole('button', { name: 'Cancel' }).click();
      expect(await definition.inputValue()).to.equal(source);
    }
    await page.getByRole('button', { name: 'Save and use' }).click();
    await page.getByText('read as mine now').waitFor();

    await page.evaluate("location.hash = '#/labels'");
    await page.getByText('RFID labels (ZPL)').click();
    await page.getByLabel('GTIN, GRAI').fill('80614141123458');
    await page.getByRole('link', { name: 'Assets', exact: true }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('GTIN, GRAI').inputValue()).to.equal('80614141123458');
    await page.getByLabel('Last number').fill('20');
    await page.getByRole('button', { name: 'Add a range' }).click();
    await page.getByLabel('Serial numbers').waitFor();
    await page.getByRole('link', { name: 'Assets', exact: true }).click();
    await page.getByRole('heading', { name: 'Assets', exact: true }).waitFor();
  });

  it('of a reader is saved beside what somebody else has changed in other fields', async () => {
    const id = await makeReader('gate');
    const page = await app.open(`#/readers/${id}?edit=1`);
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Mine');
    const theirs = { topic: `org-${app.orgId}/gates`, expect_seconds: 60 };
    await app.call({ method: 'PATCH', path: `/readers/${id}`, json: theirs });
    await save(page).click();
    await page.getByText('Saved').first().waitFor();
    expect((await app.call({ path: `/readers/${id}` })).body.data).to.include({ name: 'Mine', ...theirs });
  });

  it('closes without a question where nothing was changed', async () => {
    const page = await app.open(`#/assets?open=${await make('Crate')}`);
    await field(page, 'Name').fill('Crate 2');
    await field(page, 'Name').fill('Crate');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
