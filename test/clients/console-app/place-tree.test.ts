import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../support/browser.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

describe('the tree of places in the console', () => {
  const app = useConsoleApp();
  let site: Site;
  let page: Page;
  const place = { hall: 0, dock: 0, yard: 0 };
  const row = (id: number) => page.locator(`[data-place="${id}"]`);
  const parentOf = async (id: number) => {
    const [found] = await app.database.rows<{ parent_id: number | null }>(
      'select parent_id from locations where id = $1',
      [id],
    );
    return found?.parent_id;
  };
  const dragTo = async (from: number, target: ReturnType<typeof row>) => {
    const [a, b] = [await row(from).locator('.title').boundingBox(), await target.boundingBox()];
    if (a === null || b === null) {
      throw new Error('not in sight');
    }
    await page.mouse.move(a.x + 5, a.y + 5);
    await page.mouse.down();
    await page.mouse.move(a.x + 30, a.y + 15);
    await page.mouse.move(b.x + 60, b.y + b.height / 2);
    await page.mouse.up();
  };

  // Each begins with a tree and a page of its own: what one left behind is nothing to the next.
  beforeEach(async () => {
    site = await Site.create(app.database, 'Acme');
    place.hall = await site.location('HALL');
    place.dock = await site.location('DOCK', place.hall);
    place.yard = await site.location('YARD');
    page = await app.open('#/places', await app.as('operator', site.orgId));
    await page.getByRole('link', { name: 'As a tree' }).click();
    await row(place.dock).waitFor();
  });

  afterEach(() => page.context().close());

  it('takes a place that is dragged into another, and undoes it', async () => {
    await dragTo(place.dock, row(place.yard));
    // It stays while it is pointed at.
    await page.locator('.toast', { hasText: 'DOCK is within YARD now' }).hover();
    expect(await parentOf(place.dock)).to.equal(place.yard);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator(`[data-place="${place.dock}"][aria-rowindex="2"]`).waitFor();
    expect(await parentOf(place.dock)).to.equal(place.hall);
    await dragTo(place.dock, page.locator('[data-top]'));
    await page.getByText('DOCK is at the top level now').waitFor();
    expect(await parentOf(place.dock)).to.equal(null);
  });

  it('shows what was made and renamed', async () => {
    await page.getByRole('link', { name: 'Add place' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Annex');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog', { name: 'Annex' }).waitFor();
    await page.locator('[data-place]', { hasText: 'Annex' }).waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Annex north');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('[data-place]', { hasText: 'Annex north' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  itByNight('moves one by keys alone', async () => {
    await row(place.dock).focus();
    await page.keyboard.press('m');
    await page.getByRole('combobox', { name: 'Within' }).fill('yard');
    await page.keyboard.press('Enter');
    // Before the list has come there is nothing to be hidden: chosen is what is written as its key.
    await until(page, `document.querySelector('dialog [role=combobox]').value === 'YARD'`);
    await page.keyboard.press('Enter');
    await page.getByText('DOCK is within YARD now').waitFor();
    expect(await parentOf(place.dock)).to.equal(place.yard);
    expect(await faultsOf(page, 'place-tree')).to.deep.equal([]);
  });

  it('says in words why a place cannot go into what is within it', async () => {
    await dragTo(place.hall, row(place.dock));
    await page
      .locator('.toast-refused', { hasText: 'HALL cannot go into DOCK: that is within it' })
      .waitFor();
    expect(await parentOf(place.hall)).to.equal(null);
  });
});
