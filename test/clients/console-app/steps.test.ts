import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../support/browser.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { Site } from '../../support/site.ts';

describe('a step from one screen of the console to another', () => {
  const app = useConsoleApp();
  const open = async () => {
    const page = await app.open('#/assets');
    await page.getByRole('heading', { name: 'No assets yet' }).waitFor();
    return page;
  };
  const isAt = async (page: Page, name: string, hash: string) => {
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.waitForURL(`${app.url}/${hash}`);
  };

  it('leads to the first screen from the address that names none', async () => {
    const page = await open();
    await page.evaluate(`location.hash = '#/'`);
    await isAt(page, 'Now', '#/now');
  });

  it('counts that is taken while the one before is still being shown', async () => {
    const page = await open();
    await page.evaluate(`
      new MutationObserver((_, observer) => {
        if (document.querySelector('h1')?.textContent !== 'Assets') {
          observer.disconnect();
          location.hash = '#/places';
        }
      }).observe(document.body, { childList: true, subtree: true });
      location.hash = '#/';
    `);
    await isAt(page, 'Places', '#/places');
  });

  it('counts that is taken before what was typed is in the address', async () => {
    const page = await open();
    await page.getByRole('searchbox').first().fill('pal');
    await page.waitForURL(`${app.url}/#/assets?q=pal`);
    // The step and the pause after the last key end together, and the browser tells of the step after both.
    await page.evaluate(`(() => {
      const field = document.querySelector('.field-search input');
      setTimeout(() => { location.hash = '#/places'; }, 200);
      field.value = 'pallet';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      const until = performance.now() + 300;
      while (performance.now() < until);
    })()`);
    await isAt(page, 'Places', '#/places');
  });

  it('loses nothing that is typed as soon as the other screen is there', async () => {
    const { body } = await app.call({ method: 'POST', path: '/assets', json: { name: 'Roll cage' } });
    const page = await app.open('#/places');
    await page.getByRole('heading', { name: 'No places yet' }).waitFor();
    await page.evaluate(`new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        const field = document.querySelector('#edit-item input');
        if (field !== null) {
          observer.disconnect();
          field.value = 'Roll cage 7';
          resolve(field.dispatchEvent(new InputEvent('input', { bubbles: true })));
        }
      }).observe(document.body, { childList: true, subtree: true });
      location.hash = '#/assets?open=${body.data.id}';
    })`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Roll cage 7' }).waitFor();
  });
});

describe('the first steps in the console', () => {
  const app = useConsoleApp();
  const german = { locale: 'de-DE', viewport: { width: 1400, height: 900 } };

  it('are ticked by what is there, lead to what is next, and can be hidden', async () => {
    const site = await Site.create(app.database, 'New');
    const page = await app.open('#/now', await app.as('admin', site.orgId), german);
    await page.getByRole('heading', { name: 'Erste Schritte: 0 von 7 erledigt' }).waitFor();
    expect(await faultsOf(page, 'first-steps')).to.deep.equal([]);
    await page.setViewportSize(german.viewport);
    await page.getByRole('link', { name: 'Orte anlegen' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor();
    const dock = await site.location('DOCK');
    await site.reader('gate', [dock]);
    await site.asset('PALLET', 'E28011');
    await page.evaluate("location.hash = '#/now'");
    await page.reload();
    await page.getByRole('heading', { name: 'Erste Schritte: 4 von 7 erledigt' }).waitFor();
    expect(await page.locator('.first-steps .is-done').allTextContents()).to.deep.equal([
      ...[
        'Orte anlegen (erledigt)',
        'Einen Leser anlegen (erledigt)',
        'Sagen, wo seine Antennen sind (erledigt)',
      ],
      'Objekte mit Etiketten anlegen (erledigt)',
    ]);
    await page.getByRole('link', { name: 'Eine Regel Alarm schlagen lassen' }).waitFor();
    await page.getByRole('button', { name: 'Ausblenden' }).press('Enter');
    await page.reload();
    await page.getByRole('heading', { name: 'Jetzt' }).waitFor();
    await page.getByRole('gridcell', { name: 'DOCK' }).first().waitFor();
    expect(await page.locator('.first-steps').count()).to.equal(0);
  });

  it('leave to an administrator what only one may do, and a viewer sees none', async () => {
    const site = await Site.create(app.database, 'Another');
    const page = await app.open('#/now', await app.as('operator', site.orgId));
    await page.getByRole('heading', { name: 'First steps: 0 of 6 done' }).waitFor();
    expect(await page.getByRole('link', { name: 'Add a reader' }).count()).to.equal(0);
    await page.getByText('An administrator does this.').first().waitFor();
    const viewer = await app.open('#/now', await app.as('viewer', site.orgId));
    await viewer.getByRole('heading', { name: 'No places yet' }).waitFor();
    expect(await viewer.locator('.first-steps').count()).to.equal(0);
  });

  it('take twelve places with a name and Enter each, within one another', async () => {
    const site = await Site.create(app.database, 'Twelve');
    const page = await app.open('#/places?open=new', await app.as('operator', site.orgId), {
      viewport: { width: 390, height: 844 },
    });
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.type('Hall');
    await sheet.getByRole('button', { name: 'Create', exact: true }).click();
    await sheet.getByRole('link', { name: 'Add a place within' }).click();
    await sheet.getByRole('heading', { name: 'New place' }).waitFor();
    const another = sheet.getByRole('button', { name: 'Create and add another' });
    for (let bay = 1; bay <= 11; bay += 1) {
      await sheet.getByLabel('Name', { exact: true }).fill(`Bay ${bay}`);
      await another.press('Enter');
      await sheet.getByText(`Bay ${bay} created`).waitFor();
      await until(page, `document.activeElement.name === 'name' && document.activeElement.value === ''`);
    }
    expect(await faultsOf(page, 'place-another')).to.deep.equal([]);
    const rows = await app.database.rows<{ parent: string; count: number }>(
      `select parent.name as parent, count(*)::integer as count from locations location
       join locations parent on parent.id = location.parent_id where location.org_id = $1 group by 1`,
      [site.orgId],
    );
    expect(rows).to.deep.equal([{ parent: 'Hall', count: 11 }]);
  });

  it('are explained where the words are: states, location, dwell, turns, sweeps', async () => {
    const page = await app.open('#/reports', app.token, { viewport: { width: 390, height: 844 } });
    for (const [tab, title, word] of [
      ['Presence', 'States', 'Overdue'],
      ['Positions', 'Location', 'Why'],
      ['Dwell', 'Dwell', '9 of 10 within'],
      ['Turns', 'Turns', 'Not ended'],
      ['Sweeps', 'Sweeps', 'Moved here'],
    ] as const) {
      await page.getByRole('link', { name: tab }).last().click();
      await page.getByRole('button', { name: `${title}: what it means` }).press('Enter');
      await page
        .getByRole('region', { name: `${title}: what it means` })
        .getByText(word)
        .first()
        .waitFor();
      if (tab === 'Presence') {
        expect(await faultsOf(page, 'explained')).to.deep.equal([]);
        await page.setViewportSize({ width: 390, height: 844 });
      }
      await page.keyboard.press('Escape');
    }
  });
});
