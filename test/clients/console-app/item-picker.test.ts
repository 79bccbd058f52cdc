import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useConsoleApp } from '../../support/console-app.ts';
import { Site } from '../../support/site.ts';

describe('choosing a place in the console', () => {
  const app = useConsoleApp();
  let site: Site;
  let page: Page;
  let readerId: number;
  let written: string[];
  const picker = () => page.getByRole('combobox', { name: 'Place of antenna 1' });
  const placed = async () => {
    const [antenna] = await app.database.rows<{ location_id: number | null }>(
      'select location_id from antennas where reader_id = $1',
      [readerId],
    );
    return antenna?.location_id;
  };

  beforeEach(async () => {
    site = await Site.create(app.database, 'Acme');
    await site.location('AISLE');
    const dock = await site.location('DOCK');
    readerId = await site.reader(`gate-${site.orgId}`, [dock]);
    await app.database.rows(`update locations set name = 'Dock door' where id = $1`, [dock]);
    page = await app.open(`#/readers/${readerId}`, await app.as('admin', site.orgId));
    written = [];
    page.on('request', (request) => request.method() === 'PATCH' && written.push(request.url()));
    await picker().waitFor();
  });

  afterEach(() => page.context().close());

  it('leaves what was chosen where nothing was: Enter and Tab take none of the list, an emptied box stays', async () => {
    expect(await picker().inputValue()).to.equal('Dock door · DOCK');
    await picker().focus();
    await page.getByRole('option', { name: 'AISLE' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    await page.keyboard.press('Tab');
    await picker().focus();
    await page.getByRole('option', { name: 'AISLE' }).waitFor();
    await page.keyboard.press('Tab');
    await picker().fill('');
    await page.getByRole('option', { name: 'AISLE' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    expect(await picker().inputValue()).to.equal('Dock door · DOCK');
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Antenna 1 saved').waitFor();
    expect(written).to.have.length(1);
    expect(await placed()).not.to.equal(null);
  });

  it('offers no place as one of the choices, and says so once it is taken', async () => {
    await picker().focus();
    await page.getByRole('option', { name: 'At no place' }).click();
    await page.getByText('Antenna 1 has no place now').waitFor();
    expect(await picker().inputValue()).to.equal('');
    expect(await picker().getAttribute('placeholder')).to.equal('At no place');
    expect(await placed()).to.equal(null);
  });

  it('does not send a form with the place before while what is typed finds none', async () => {
    await page.evaluate(`location.hash = '#/places?open=new'`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Shelf');
    const within = page.getByRole('combobox', { name: 'Within' });
    await within.fill('nowhere to be found');
    await page.getByText('Nothing matches').waitFor();
    await within.press('Enter');
    await within.press('Tab');
    expect(await within.inputValue()).to.equal('');
    expect(await page.getByRole('dialog', { name: 'New place' }).isVisible()).to.equal(true);
  });
});
