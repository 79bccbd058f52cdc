import { expect } from 'chai';
import { until, untilAtRest } from '../../support/browser.ts';
import { DESK, faultsOf, useConsoleApp } from '../../support/console-app.ts';

describe('places in the console', () => {
  const app = useConsoleApp();

  it('adds a place within another, and takes back its move out of it', async () => {
    const hall = await app.call({
      method: 'POST',
      path: '/locations',
      json: { external_key: 'HALL', name: 'Hall' },
    });
    const parentOf = async (id: unknown) =>
      (await app.call({ path: `/locations/${id}` })).body.data.parent_external_key;
    const page = await app.open('#/places?open=new');
    const within = page.getByRole('combobox', { name: 'Within' });
    await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
    // The sheet has just opened: what is typed is its name.
    await page.keyboard.type('Dock 4');
    await within.fill('hall');
    await page.getByRole('option', { name: 'Hall' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog', { name: 'Dock 4' }).waitFor();
    await page.locator('dialog .toast').waitFor();
    await page.locator('dialog .side-foot').waitFor();
    await untilAtRest(page);
    const room = `document.querySelector('.side-foot').getBoundingClientRect().top -
      document.querySelector('dialog .toast').getBoundingClientRect().bottom`;
    expect(await page.evaluate<number>(room)).to.be.above(0);
    const id = new URL(page.url()).hash.match(/open=(\d+)/)?.[1];
    expect(await parentOf(id)).to.equal('HALL');
    await page.getByText('Places with antennas need none').waitFor();

    await within.focus();
    await page.getByRole('option', { name: 'Hall' }).waitFor();
    await within.press('ArrowDown');
    await page.getByRole('option', { name: 'Nothing: top level', selected: true }).waitFor();
    await within.press('Enter');
    await page.getByRole('textbox', { name: 'Key' }).fill('DOCK-4');
    await page.getByText('Links and programs that use the old key').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    // It stays while it is pointed at.
    await page.locator('dialog .toast', { hasText: 'Saved' }).hover();
    await page.getByRole('dialog').getByText('DOCK-4').waitFor();
    expect(await parentOf(id)).to.equal(null);

    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await until(page, `document.querySelector('dialog [role=combobox]').value === 'Hall · HALL'`);
    expect(await parentOf(id)).to.equal('HALL');
    expect((await app.call({ path: `/locations/${id}` })).body.data.external_key).to.equal('DOCK-4');
    expect((await app.call({ path: `/locations/${hall.body.data.id}` })).body.data.name).to.equal('Hall');
  });

  it('prints every row of the page, without what is only clicked, and says what narrows it', async () => {
    await app.database.rows(
      `insert into locations (org_id, external_key, name)
       select $1, 'SHELF-' || number, 'Shelf ' || number from generate_series(1, 249) number`,
      [app.orgId],
    );
    // What the last one is within and how it is watched is read on its own, once it is shown.
    await app.database.rows(
      `with last as (
         update locations shelf set parent_id = hall.id from locations hall
         where hall.org_id = $1 and hall.external_key = 'HALL' and shelf.external_key = 'SHELF-99'
         returning shelf.id
       )
       insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       select $1, id, now(), 'continuous', 120, false, 'all' from last`,
      [app.orgId],
    );
    const page = await app.open('#/places?q=shelf', app.token, { colorScheme: 'dark' });
    await page.getByText('249 places').waitFor();
    await page.evaluate(`window.print = () => {
      document.body.dataset.printed = document.querySelector('.table tbody tr:last-child').innerText;
    }`);
    await page.getByRole('button', { name: 'Print all 249 rows' }).click();
    await page.locator('body[data-printed]').waitFor();
    expect(await page.evaluate<string>('document.body.dataset.printed')).to.match(
      /SHELF-99\s+Hall\s+–\s+A room: read every 2 min or more often/,
    );
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.locator('.print-head', { hasText: /Own · .*: shelf · / }).waitFor();
    expect(
      await page.locator('.rail, .top, .filters, .page-head .buttons').filter({ visible: true }).count(),
    ).to.equal(0);
    expect(await page.evaluate<string>('document.documentElement.dataset.theme')).to.equal('light');
    const inSight = `[...document.querySelectorAll('.table tbody tr')].filter((row) =>
      row.getBoundingClientRect().bottom <= document.documentElement.scrollHeight).length`;
    expect(await page.evaluate<number>(inSight)).to.equal(249);
    await page.getByText('1 – 249 of 249').waitFor();
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await page.evaluate<string>('document.documentElement.dataset.theme')).to.equal('dark');
    await page.getByText('1 – 50 of 249').waitFor();
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g);
    expect(pages?.length).to.be.above(1);
    await app.database.rows("update locations set deleted_at = now() where external_key like 'SHELF-%'");
    await app.database.empty('location_watches');
  });

  it('says of a place, or of several, whether things pass it or stay there', async () => {
    const watched = async () =>
      (
        await app.database.rows<{ watch: string }>(
          `select concat_ws(' ', location.external_key, mode, max_gap_seconds, coverage) as watch
           from location_watches watch join locations location on location.id = watch.location_id
           order by watch.valid_from`,
        )
      ).map(({ watch }) => watch);
    const page = await app.open('#/places?q=HALL');
    await page.getByRole('link', { name: 'Hall', exact: true }).click();
    await page.getByText('A gate. Nothing is missed here, except by a sweep.').waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog').getByText('A gate. Nothing is missed here, except by a sweep.').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: 'Gate or room' }).click();
    const sheet = page.getByRole('dialog', { name: 'HALL: gate or room' });
    await sheet.getByLabel('Is this a gate or a room?').selectOption('continuous');
    await sheet.getByLabel('Longest time between two reads', { exact: true }).fill('2');
    const found = await faultsOf(page, 'place-watch');
    await page.setViewportSize(DESK.viewport);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'A room: read every 2 min or more often' }).waitFor();
    expect(await watched()).to.deep.equal(['HALL continuous 120 all']);

    await page.evaluate("location.hash = '#/places'");
    await page.getByRole('checkbox', { name: 'all' }).first().check();
    await page.getByRole('link', { name: 'Gate or room (2)' }).click();
    const both = page.getByRole('dialog', { name: '2 places: gate or room' });
    await both.getByLabel('Is this a gate or a room?').selectOption('continuous');
    await both.getByLabel('Antennas that have to listen').selectOption('any');
    await both.getByRole('button', { name: 'Save' }).click();
    await both.waitFor({ state: 'detached' });
    expect((await watched()).slice(1).sort()).to.deep.equal(['DOCK-4 continuous any', 'HALL continuous any']);
    expect(found).to.deep.equal([]);
  });

  it('says what EPCIS calls a place, and what is wrong with that', async () => {
    const gate = await app.call({
      method: 'POST',
      path: '/locations',
      json: { external_key: 'GATE', name: 'Gate' },
    });
    const { id } = gate.body.data;
    const page = await app.open(`#/places?open=${id}`);
    await page.getByText('EPCIS', { exact: true }).click();
    await page.getByRole('textbox', { name: 'GLN' }).fill('4012345000116');
    await page.getByRole('textbox', { name: 'Business step' }).fill('arriving');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('13 digits with a correct check digit').waitFor();
    await page.getByRole('textbox', { name: 'GLN' }).fill('4012345000115');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('dialog .toast', { hasText: 'Saved' }).waitFor();
    const stored = (await app.call({ path: `/locations/${id}` })).body.data;
    expect(stored).to.include({ gln: '4012345000115', biz_step: 'arriving', disposition: null });
  });
});
