import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { invite } from '../../../domain/administration/users/links/make-link.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { PASSWORD } from '../../support/people.ts';
import { itByNight } from '../../support/random-sets.ts';

describe('what is in the way of signing in, in the console', () => {
  const app = useConsoleApp();

  const invited = async (email: string) =>
    (
      await invite(databaseOn(app.database.pool), TEST_ACTOR, {
        ...{ orgId: app.orgId, email, role: 'viewer' },
      })
    ).token;
  /** As a browser in which somebody has blocked them. */
  const withoutCookies = async (hash: string): Promise<Page> => {
    const page = await app.open('#/nothing', null);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setDocumentCookieDisabled', { disabled: true });
    await page.goto(`${app.url}/${hash}`);
    await page.reload();
    return page;
  };

  itByNight('is said where the browser keeps no cookies, and no invitation is used up by that', async () => {
    const token = await invited('cy@example.com');
    const page = await withoutCookies(`#/link/${token}`);
    await page.getByLabel('Your name').fill('Cy');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go in' }).click();
    await page.getByText('This browser blocks cookies').waitFor();
    expect(await faultsOf(page, 'link-no-cookies')).to.deep.equal([]);

    const good = await app.open(`#/link/${token}`, null);
    await good.getByLabel('Your name').fill('Cy');
    await good.getByLabel('New password').fill(PASSWORD);
    await good.getByRole('button', { name: 'Go in' }).click();
    await good.getByRole('navigation', { name: 'Screens' }).getByText('Cy').waitFor();

    const signIn = await withoutCookies('#/now');
    await signIn.getByLabel('E-mail').fill('cy@example.com');
    await signIn.getByLabel('Password').fill(PASSWORD);
    await signIn.keyboard.press('Enter');
    await signIn.getByText('This browser blocks cookies').waitFor();
  });

  it('is not taken for a link that is over', async () => {
    const token = await invited('em@example.com');
    // As behind a proxy that changes the host.
    const url = await app.start({ CONSOLE_URL: 'https://console.example.com' });
    const device = await app.browser.device({ locale: 'en-GB' });
    const page = await device.open(`${url}/#/link/${token}`);
    await page.getByRole('heading', { name: 'The link could not be checked' }).waitFor();
    await page.getByRole('alert').getByText('Not allowed:').waitFor();
    expect(await page.getByText('no longer valid').count()).to.equal(0);
  });

  it('ends by itself: what could not be read is read once the server is there again', async () => {
    const page = await app.open('#/assets');
    await page.getByRole('heading', { name: 'Assets', exact: true }).waitFor();
    await page.route('**/console/v1/locations?*', (route) => route.abort());
    await page.evaluate(`location.hash = '#/places'`);
    await page.getByText('The server cannot be reached').waitFor();
    await page.unroute('**/console/v1/locations?*');
    // Another request is answered.
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await page.getByRole('combobox', { name: 'Find' }).fill('dock');
    await page.getByRole('heading', { name: 'No places yet' }).waitFor();
  });

  it('offers viewers no form that they may not send', async () => {
    const viewer = await app.as('viewer');
    for (const hash of ['#/readers/new', '#/readers/formats', '#/rules/new']) {
      const page = await app.open(hash, viewer);
      await page.getByRole('heading', { name: 'Screen not found' }).waitFor();
      await page.context().close();
    }
  });
});
