import type { Page } from 'playwright-core';
import { useConsoleApp } from '../../support/console-app.ts';

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
