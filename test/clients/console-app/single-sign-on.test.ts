import { expect } from 'chai';
import { useConsoleApp } from '../../support/console-app.ts';
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
    await page.getByRole('alert').getByText('a second factor').waitFor();
    provider.whoComes = 'ann';
    const claims = { email: 'ann@example.com', email_verified: true, name: 'Ann', groups: ['staff'] };
    provider.people.set('ann', claims);
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByRole('heading', { level: 1, name: 'Assets' }).waitFor();
    expect(new URL(page.url()).hash).to.match(/^#\/assets\?(?=.*q=pallet)/);
    await page.goto(`${url}/`);
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  });

  const opened = async (path: string) => {
    const device = await app.browser.device({ locale: 'en-GB' });
    return { page: await device.open(url + path) };
  };
});
