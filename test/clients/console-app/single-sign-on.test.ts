import { expect } from 'chai';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { invite } from '../../../domain/administration/users/links/make-link.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { freePort } from '../../support/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';

describe('single sign-on in the console', () => {
  const app = useConsoleApp();
  let provider: IdentityProvider;
  let url: string;

  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider(`${url}/console/v1/oidc/callback`);
    app.database.beforeDrop(() => provider.close());
    await app.start({
      ...{ CONSOLE_URL: url, CONSOLE_PORT: port, CONSOLE_PASSWORDS: 'off', OIDC_ISSUER: provider.issuer },
      ...{ OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET: provider.clientSecret },
      OIDC_ROLES: [{ value: 'staff', orgId: app.orgId, role: 'viewer' }],
    });
  });

  it('leads on to the link that was opened first, also when it is refused at first', async () => {
    const { page } = await opened('/#/assets?q=pallet');
    provider.whoComes = null;
    provider.declinesBy = 'unmet_authentication_requirements';
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByRole('alert').getByText('A second factor').waitFor();
    provider.whoComes = 'ann';
    const claims = { email: 'ann@example.com', email_verified: true, name: 'Ann', groups: ['staff'] };
    provider.people.set('ann', claims);
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByRole('heading', { level: 1, name: 'Assets' }).waitFor();
    expect(new URL(page.url()).hash).to.match(/^#\/assets\?(?=.*q=pallet)/);
    await page.goto(`${url}/`);
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  });

  it('offers no password where there are none, in an invitation, the account and the list of users', async () => {
    const admin = await app.people.user('ad@example.com', { orgId: app.orgId, role: 'admin' });
    const link = await invite(databaseOn(app.database.pool), TEST_ACTOR, {
      ...{ orgId: app.orgId, email: 'new@example.com', role: 'viewer' },
    });
    const { page } = await opened(`/#/link/${link.token}`);
    await page.getByText('Sign in with single sign-on to accept the invitation.').waitFor();
    expect(await page.getByLabel('New password').count()).to.equal(0);
    expect(await faultsOf(page, 'link-single-sign-on')).to.deep.equal([]);
    provider.whoComes = 'new';
    provider.people.set('new', { email: 'new@example.com', email_verified: true, name: 'New', groups: [] });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByRole('navigation', { name: 'Screens' }).getByText('New').waitFor();

    const device = await app.browser.device({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
    await device.context.addCookies([{ name: 'tagtrail_session', value: admin.token, url }]);
    const settings = await device.open(`${url}/#/settings/account`);
    await settings.getByText('Where you are signed in').waitFor();
    expect(await settings.getByLabel('Current password').count()).to.equal(0);
    await settings.getByRole('link', { name: 'Users' }).click();
    await settings.getByText('new@example.com').waitFor();
    expect(await settings.getByRole('button', { name: 'Password link' }).count()).to.equal(0);
  });

  it('can be asked for again where the ways to sign in did not load', async () => {
    const { page } = await opened('/#/nowhere');
    await page.route('**/sign-in-ways', (route) => route.abort());
    await page.reload();
    await page.getByText('The server cannot be reached').waitFor();
    await page.unroute('**/sign-in-ways');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Single sign-on' }).waitFor();
  });

  const opened = async (path: string) => {
    const device = await app.browser.device({ locale: 'en-GB' });
    return { page: await device.open(url + path) };
  };
});
