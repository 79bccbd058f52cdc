import { expect } from 'chai';
import { AppError } from '../../base/errors.ts';
import { readConsoleConfig } from '../../services/console/config.ts';
import { useConsole } from '../support/console.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { Wanderer } from '../support/wanderer.ts';

describe('demanding several factors of the identity provider', () => {
  const suite = useConsole();
  let provider: IdentityProvider;
  let byClass: string;
  let byMethod: string;
  before(async () => {
    const ports = [await freePort(), await freePort()];
    const [one = '', two = ''] = ports.map((port) => `http://127.0.0.1:${port}`);
    provider = await startIdentityProvider(
      `${one}/console/v1/oidc/callback`,
      `${two}/console/v1/oidc/callback`,
    );
    suite.database.beforeDrop(() => provider.close());
    const settings = {
      ...{ CONSOLE_PASSWORDS: 'off' as const, OIDC_ISSUER: provider.issuer },
      ...{ OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET: provider.clientSecret },
      OIDC_ROLES: [{ value: 'staff', orgId: suite.orgId, role: 'viewer' as const }],
    };
    byClass = await suite.start({
      ...{ ...settings, CONSOLE_PORT: ports[0] ?? 0, CONSOLE_URL: one },
      OIDC_ACR_VALUES: ['gold', 'silver'],
    });
    byMethod = await suite.start({
      ...{ ...settings, CONSOLE_PORT: ports[1] ?? 0, CONSOLE_URL: two },
      OIDC_AMR_VALUES: ['mfa', 'hwk'],
    });
  });

  /** @returns where somebody is in the end, what the provider was asked, and whether that is a session. */
  async function come(url: string, how: IdentityProvider['how'], claims = {}) {
    provider.whoComes = 'ann';
    provider.how = how;
    const person = { email: 'ann@example.com', email_verified: true, name: 'Ann', groups: ['staff'] };
    provider.people.set('ann', { ...person, ...claims });
    const wanderer = new Wanderer();
    const { way } = await wanderer.go(
      `${url}/console/v1/oidc/begin`,
      (at) => at.startsWith(`${url}/#`) || at === `${url}/`,
    );
    const asked = new URL(way[1] ?? '').searchParams.get('acr_values');
    const { status } = await wanderer.fetch(`${url}/console/v1/session`);
    return { at: way.at(-1)?.replace(url, ''), asked, session: status === 200 };
  }
  const refused = { at: '/#/sign-in?refused=factors', session: false };
  const accepted = { at: '/', session: true };

  it('asks for a class, and lets in whom the ID token says one of', async () => {
    const asked = 'gold silver';
    for (const acr of ['gold', 'silver']) {
      expect(await come(byClass, { acr }), acr).to.deep.equal({ ...accepted, asked });
    }
    for (const how of [{}, { acr: 'password' }, { amr: ['gold'] }]) {
      expect(await come(byClass, how), JSON.stringify(how)).to.deep.equal({ ...refused, asked });
    }
  });

  it('lets in by a method that the ID token says beside others', async () => {
    for (const amr of [['mfa'], ['pwd', 'hwk']]) {
      expect(await come(byMethod, { amr }), amr.join(' ')).to.deep.equal({ ...accepted, asked: null });
    }
    for (const how of [{}, { amr: [] }, { amr: ['pwd', 'otp'] }, { acr: 'mfa' }]) {
      expect(await come(byMethod, how), JSON.stringify(how)).to.deep.equal({ ...refused, asked: null });
    }
  });

  it('does not take the word of anything but the ID token', async () => {
    const claims = { acr: 'gold', amr: ['mfa'] };
    expect(await come(byClass, { acr: 'password' }, claims)).to.include(refused);
    expect(await come(byClass, {}, claims)).to.include(refused);
    expect(await come(byMethod, {}, claims)).to.include(refused);
  });

  it('says the same where the provider itself could not do as it was asked', async () => {
    provider.whoComes = null;
    provider.declinesBy = 'unmet_authentication_requirements';
    const { way } = await new Wanderer().go(`${byClass}/console/v1/oidc/begin`, (at) => at.includes('/#/'));
    expect(way.at(-1)).to.equal(`${byClass}${refused.at}`);
  });

  it('is counted as refused, and makes no user', async () => {
    const text = await (await fetch(`${byMethod}/metrics`)).text();
    expect(text).to.match(/tagtrail_console_sign_ins_total\{way="provider",outcome="refused"\} [1-9]/);
    provider.declinesBy = 'access_denied';
    const before = await suite.database.rows('select from users');
    expect(await come(byClass, {}, { sub: 'new', email: 'new@example.com' })).to.include(refused);
    expect(await suite.database.rows('select from users')).to.have.length(before.length);
  });

  it('needs single sign-on to be the only way', () => {
    const sso = {
      ...{ OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'hush' },
      CONSOLE_URL: 'https://tracking.example.com',
    };
    const read = (environment: NodeJS.ProcessEnv) => {
      try {
        return readConsoleConfig({ DATABASE_URL: suite.database.url, ...environment });
      } catch (error) {
        return error instanceof AppError ? error.message : String(error);
      }
    };
    expect(read({ ...sso, CONSOLE_PASSWORDS: 'off', OIDC_ACR_VALUES: ' gold  silver ' })).to.deep.include({
      ...{ OIDC_ACR_VALUES: ['gold', 'silver'], OIDC_AMR_VALUES: [] },
    });
    expect(read({ ...sso, OIDC_AMR_VALUES: 'mfa' })).to.match(/^OIDC_AMR_VALUES .*CONSOLE_PASSWORDS to off$/);
    expect(read({ OIDC_ACR_VALUES: 'gold' })).to.match(/^OIDC_ACR_VALUES .*set OIDC_ISSUER/);
    // A setting that says nothing must not pass for one that demands nothing.
    expect(read({ ...sso, CONSOLE_PASSWORDS: 'off', OIDC_ACR_VALUES: '  ' })).to.match(/^OIDC_ACR_VALUES is/);
  });
});
