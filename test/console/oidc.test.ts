import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { AppError } from '../../base/errors.ts';
import { setDisabled } from '../../domain/administration/users/accounts/set-disabled.ts';
import { createUser } from '../../domain/administration/users/create-user.ts';
import { acceptLink } from '../../domain/administration/users/links/accept-link.ts';
import { invite, makeFirstLink, makeResetLink } from '../../domain/administration/users/links/make-link.ts';
import type { Role } from '../../domain/administration/users/roles.ts';
import { signIn } from '../../domain/administration/users/sessions/sign-in.ts';
import { readConsoleConfig } from '../../services/console/config.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useConsole } from '../support/console.ts';
import { freePort } from '../support/free-port.ts';
import { type Claims, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { PASSWORD, PLACE } from '../support/people.ts';
import { Wanderer } from '../support/wanderer.ts';

describe('signing in to the console by OpenID Connect', () => {
  const suite = useConsole();
  let provider: IdentityProvider;
  let url: string;
  let other: number;
  let otherPort: number;
  let settings: Parameters<typeof suite.start>[0];
  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    otherPort = await freePort();
    provider = await startIdentityProvider(
      `${url}/console/v1/oidc/callback`,
      `http://127.0.0.1:${otherPort}/console/v1/oidc/callback`,
    );
    suite.database.beforeDrop(() => provider.close());
    other = await suite.people.organization('Mapped');
    settings = {
      ...{ CONSOLE_URL: url, CONSOLE_PASSWORDS: 'off', OIDC_ISSUER: provider.issuer },
      ...{ OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET: provider.clientSecret },
      OIDC_SCOPES: ['groups'],
      OIDC_ROLES: [
        { value: 'staff', orgId: other, role: 'viewer' },
        { value: 'cn=leads,dc=example', orgId: other, role: 'admin' },
      ],
    };
    await suite.start({ ...settings, CONSOLE_PORT: port });
  });

  const verified = (email: string, more: Claims = {}) => ({
    email,
    email_verified: true,
    name: 'Ann',
    ...more,
  });
  /** @returns where the browser is in the end, and the session it has. */
  async function come(subject: string | null, claims: Claims = {}, wanderer = new Wanderer()) {
    provider.whoComes = subject;
    if (subject !== null) {
      provider.people.set(subject, claims);
    }
    const { way } = await wanderer.go(
      `${url}/console/v1/oidc/begin`,
      (at) => at.startsWith(`${url}/#`) || at === `${url}/`,
    );
    const session = await wanderer.fetch(`${url}/console/v1/session`);
    return { at: way.at(-1)?.replace(url, ''), way, session: (await session.json()) as { data: Session } };
  }
  interface Session {
    user: { id: number; email: string; name: string };
    memberships: { organization: { id: number }; role: Role }[];
  }
  const rolesOf = ({ session }: { session: { data: Session } }) =>
    session.data.memberships.map(({ organization, role }) => [organization.id, role]);

  it('is offered, in place of passwords if they are off', async () => {
    const ways = async (base: string) =>
      (await (await fetch(`${base}/console/v1/sign-in-ways`)).json()) as unknown;
    expect(await ways(url)).to.deep.equal({
      data: { passwords: false, identity_provider: '/console/v1/oidc/begin' },
    });
    expect(await ways(suite.url)).to.deep.equal({ data: { passwords: true, identity_provider: null } });
    const answer = await suite.call({ path: '/../console/v1/oidc/begin' });
    expect(answer.status).to.equal(404);
  });

  it('goes by code flow with PKCE, state and nonce, and ends with a session that the log tells of', async () => {
    await createUser(suite.people.db, TEST_ACTOR, {
      ...{ email: 'ann@example.com', name: 'Ann' },
      membership: { orgId: suite.orgId, role: 'operator' },
    });
    const came = await come('ann-1', verified('Ann@example.com'));
    expect(came.at).to.equal('/');
    expect(rolesOf(came)).to.deep.equal([[suite.orgId, 'operator']]);
    const asked = new URL(came.way[1] ?? '').searchParams;
    expect(asked.get('response_type')).to.equal('code');
    expect(asked.get('scope')).to.equal('openid email profile groups');
    expect(asked.get('code_challenge_method')).to.equal('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked.get(name), name).to.have.length.above(40);
    }
    const log = await suite.database.rows<{ after: string }>(
      `select after from changes where action = 'sign_in' and actor_type = 'user' and actor_id = $1`,
      [String(came.session.data.user.id)],
    );
    expect(JSON.parse(log[0]?.after ?? '')).to.include({ by: 'identity_provider', address: '127.0.0.1' });
  });

  it('knows a user by the subject from then on, whatever the e-mail address there', async () => {
    const first = await come('bob-1', verified('bob@example.com', { groups: ['staff'] }));
    const again = await come('bob-1', verified('robert@example.com', { groups: ['staff'] }));
    expect(again.session.data.user).to.include({ id: first.session.data.user.id, email: 'bob@example.com' });
    const taken = await come('bob-2', verified('bob@example.com', { groups: ['staff'] }));
    expect(taken.at).to.equal('/#/sign-in?refused=other_account');
  });

  it('maps values of a claim to roles, the highest of several, and takes them back', async () => {
    const groups = (...values: string[]) => verified('cid@example.com', { groups: values });
    expect(rolesOf(await come('cid-1', groups('staff', 'else')))).to.deep.equal([[other, 'viewer']]);
    expect(rolesOf(await come('cid-1', groups('cn=leads,dc=example', 'staff')))).to.deep.equal([
      [other, 'admin'],
    ]);
    // Of the last administrator they are not.
    expect(rolesOf(await come('cid-1', groups()))).to.deep.equal([[other, 'admin']]);
    await suite.as('admin', other);
    expect(rolesOf(await come('cid-1', groups()))).to.deep.equal([]);
  });

  it('lets in who was invited by the verified address, and nobody else', async () => {
    expect((await come('dan-1', verified('dan@example.com', { groups: [] }))).at).to.equal(
      '/#/sign-in?refused=unknown',
    );
    expect((await come('dan-1', verified('dan@example.com'))).at).to.equal('/#/sign-in?refused=no_groups');
    await invite(suite.people.db, TEST_ACTOR, {
      orgId: suite.orgId,
      email: 'dan@example.com',
      role: 'viewer',
    });
    const unverified = { ...verified('dan@example.com'), email_verified: false };
    expect((await come('dan-2', unverified)).at).to.equal('/#/sign-in?refused=unverified');
    const came = await come('dan-1', verified('dan@example.com'));
    expect(rolesOf(came)).to.deep.equal([[suite.orgId, 'viewer']]);
  });

  it('does not make somebody a user by an address that nobody verified', async () => {
    await createUser(suite.people.db, TEST_ACTOR, {
      email: 'lea@example.com',
      name: 'Lea',
      membership: null,
    });
    const eve = { ...verified('lea@example.com', { groups: ['staff'] }), email_verified: false };
    expect((await come('eve-1', eve)).at).to.equal('/#/sign-in?refused=unverified');
    const { email_verified: _, ...unsaid } = eve;
    expect((await come('eve-1', unsaid)).at).to.equal('/#/sign-in?refused=unverified');
    const victim = { ...eve, email: 'victim@example.com' };
    expect((await come('eve-1', victim)).at).to.equal('/#/sign-in?refused=unverified');
    // Some providers never say it, and tell roles: there the address is nobody's yet.
    expect(rolesOf(await come('jo-1', { ...unsaid, email: 'jo@example.com' }))).to.deep.equal([
      [other, 'viewer'],
    ]);
  });

  it('takes the address, and that it is verified, from one place: ID token or userinfo', async () => {
    await suite.people.user('boss@example.com', { orgId: suite.orgId, role: 'admin' });
    const ted = verified('ted@example.com');
    await invite(suite.people.db, TEST_ACTOR, {
      orgId: suite.orgId,
      email: 'ted@example.com',
      role: 'viewer',
    });
    const sentBack = '/#/sign-in?refused=unverified';
    const said: [idToken: Claims, userinfo: Claims, at: string][] = [
      [{ email_verified: true }, { email: 'boss@example.com' }, sentBack],
      [{ email: 'boss@example.com' }, { email_verified: true }, sentBack],
      [{ email: 'boss@example.com', email_verified: false }, ted, sentBack],
      [{ email: 'boss@example.com' }, ted, '/'],
    ];
    for (const [at, [idToken, userinfo, expected]] of said.entries()) {
      provider.inIdTokens.set(`ted-${at}`, idToken);
      const came = await come(`ted-${at}`, userinfo);
      expect(came.at, JSON.stringify([idToken, userinfo])).to.equal(expected);
      if (expected === '/') {
        expect(came.session.data.user.email).to.equal('ted@example.com');
      }
    }
    provider.inIdTokens.set('boss-1', verified('boss@example.com'));
    expect((await come('boss-1', {})).session.data.user.email).to.equal('boss@example.com');
  });

  it('lets nobody in by an ID token that the keys of the provider did not sign', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: { kid: string }[] };
    const [{ kid } = { kid: '' }] = keys.keys;
    provider.shownKeys = {
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }],
    };
    // A console that has not seen the keys yet.
    const base = `http://127.0.0.1:${otherPort}`;
    await suite.start({ ...settings, CONSOLE_URL: base, CONSOLE_PORT: otherPort });
    provider.whoComes = 'una-1';
    provider.people.set('una-1', verified('una@example.com', { groups: ['staff'] }));
    const arrive = () =>
      new Wanderer().go(
        `${base}/console/v1/oidc/begin`,
        (at) => at.startsWith(`${base}/#`) || at === `${base}/`,
      );
    expect((await arrive()).way.at(-1)).to.equal(`${base}/#/sign-in?refused=failed`);
    provider.shownKeys = null;
    expect((await come('una-1', verified('una@example.com', { groups: ['staff'] }))).at).to.equal('/');
  });

  it('ends the password and the sessions that others may have made for the address', async () => {
    const early = await suite.people.user('fay@example.com', { orgId: suite.orgId, role: 'viewer' });
    const given = { ...PLACE, email: 'fay@example.com', password: PASSWORD };
    expect(await signIn(suite.people.db, given)).not.to.equal(null);
    await come('fay-1', verified('fay@example.com'));
    expect(await signIn(suite.people.db, given)).to.equal(null);
    const answer = await suite.call({ path: '/session', token: early.token });
    expect(answer.status).to.equal(401);
  });

  it('ends them again where somebody joins an organization, as a password may have been set since', async () => {
    const email = 'mia@example.com';
    const { userId } = await suite.people.user(email, { orgId: suite.orgId, role: 'viewer' });
    await come('mia-1', verified(email));
    const { token } = await makeResetLink(suite.people.db, TEST_ACTOR, { userId, orgId: null });
    const kept = await acceptLink(suite.people.db, { ...PLACE, token, password: PASSWORD });
    await come('mia-1', verified(email));
    expect((await suite.call({ path: '/session', token: kept.token })).status).to.equal(200);

    const came = await come('mia-1', verified(email, { groups: ['staff'] }));
    expect(rolesOf(came)).to.have.deep.members([
      [other, 'viewer'],
      [suite.orgId, 'viewer'],
    ]);
    expect((await suite.call({ path: '/session', token: kept.token })).status).to.equal(401);
    expect(await signIn(suite.people.db, { ...PLACE, email, password: PASSWORD })).to.equal(null);
  });

  it('lets no disabled user in, and says so where somebody declines', async () => {
    const came = await come('gil-1', verified('gil@example.com', { groups: ['staff'] }));
    const { id: userId } = came.session.data.user;
    await setDisabled(suite.people.db, TEST_ACTOR, { userId, isDisabled: true, orgId: null });
    const again = await come('gil-1', verified('gil@example.com', { groups: ['staff'] }));
    expect(again.at).to.equal('/#/sign-in?refused=disabled');
    expect((await come(null)).at).to.equal('/#/sign-in?refused=cancelled');
  });

  it('takes an answer in the browser that set out for it only, and once', async () => {
    provider.whoComes = 'max-1';
    provider.people.set('max-1', verified('max@example.com', { groups: ['staff'] }));
    const wanderer = new Wanderer();
    const { way } = await wanderer.go(`${url}/console/v1/oidc/begin`, (at) => at.includes('/oidc/callback?'));
    const callback = way.at(-1) ?? '';
    const refused = `${url}/#/sign-in?refused=failed`;
    const isEnd = (at: string) => at.includes('/#/') || at === `${url}/`;
    const victim = new Wanderer();
    expect((await victim.go(callback, isEnd)).way.at(-1)).to.equal(refused);
    await victim.go(`${url}/console/v1/oidc/begin`, (at) => at.startsWith(provider.issuer));
    expect((await victim.go(callback, isEnd)).way.at(-1)).to.equal(refused);
    const forged = callback.replace(/state=[^&]*/, 'state=forged');
    const thief = new Wanderer();
    await thief.go(`${url}/console/v1/oidc/begin`, (at) => at.startsWith(provider.issuer));
    expect((await thief.go(forged, isEnd)).way.at(-1)).to.equal(refused);
    const finished = await wanderer.go(callback, isEnd);
    expect(finished.way.at(-1)).to.equal(`${url}/`);
    expect((await wanderer.go(callback, isEnd)).way.at(-1)).to.equal(refused);
    const [errand, session] = [
      /tagtrail_errand=;/,
      /tagtrail_session=[\w-]{43}; .*HttpOnly; SameSite=Strict/,
    ].map((pattern) => finished.setCookies.find((cookie) => pattern.test(cookie)));
    expect(errand, 'the errand is over').not.to.equal(undefined);
    expect(session).not.to.equal(undefined);
  });

  it('leaves no way by password when they are off, but for the first administrator', async () => {
    const post = async (path: string, json: unknown) => {
      const answer = await fetch(`${url}/console/v1/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: url, 'X-Tagtrail-Console': '1' },
        body: JSON.stringify(json),
      });
      return { status: answer.status, text: await answer.text() };
    };
    await suite.people.user('hal@example.com', { orgId: suite.orgId, role: 'viewer' });
    const refused = await post('session', { email: 'hal@example.com', password: PASSWORD });
    expect(refused.status).to.equal(403);
    expect(refused.text).to.include('CONSOLE_PASSWORDS');
    const asked = { orgId: suite.orgId, email: 'ida@example.com', role: 'viewer' as const };
    const { token } = await invite(suite.people.db, TEST_ACTOR, asked);
    expect((await post('links/accept', { token, name: 'Ida', password: PASSWORD })).status).to.equal(403);
    const first = await makeFirstLink(suite.people.db, TEST_ACTOR, await suite.people.organization('New'));
    const given = { token: first.token, email: 'kim@example.com', name: 'Kim', password: PASSWORD };
    expect((await post('links/accept', given)).status).to.equal(200);
  });

  it('says which settings are missing or wrong, and never what the secret is', () => {
    const faultsOf = (environment: NodeJS.ProcessEnv) => {
      try {
        readConsoleConfig({ DATABASE_URL: suite.database.url, ...environment });
        return '';
      } catch (error) {
        return error instanceof AppError ? error.message : String(error);
      }
    };
    const complete = {
      ...{ OIDC_ISSUER: 'https://login.example.com/realms/a', OIDC_CLIENT_ID: 'console' },
      ...{ OIDC_CLIENT_SECRET: 'hush', CONSOLE_URL: 'https://tracking.example.com' },
    };
    expect(faultsOf(complete)).to.equal('');
    expect(faultsOf({ CONSOLE_PASSWORDS: 'off' })).to.match(/set OIDC_ISSUER, or CONSOLE_PASSWORDS to on/);
    expect(faultsOf({ ...complete, CONSOLE_URL: '', OIDC_CLIENT_SECRET: '' })).to.match(
      /needs OIDC_CLIENT_SECRET and CONSOLE_URL/,
    );
    expect(faultsOf({ ...complete, OIDC_ISSUER: 'http://login.example.com' })).to.match(
      /OIDC_ISSUER is .*https/,
    );
    for (const wrong of [
      'staff',
      'staff=1',
      'staff=1:owner',
      'staff=0:viewer',
      '=1:viewer',
      'a=1:viewer;b',
    ]) {
      expect(faultsOf({ ...complete, OIDC_ROLES: wrong }), wrong).to.match(
        /OIDC_ROLES is .*value=organization:role/,
      );
    }
    const read = readConsoleConfig({
      ...{ DATABASE_URL: suite.database.url, ...complete },
      OIDC_ROLES: 'cn=leads,dc=example=1:admin; staff=2147483647:viewer;',
    });
    expect(read.OIDC_ROLES).to.deep.equal([
      { value: 'cn=leads,dc=example', orgId: 1, role: 'admin' },
      { value: 'staff', orgId: 2_147_483_647, role: 'viewer' },
    ]);
  });

  it('starts without the provider, and asks it again once it is there', async () => {
    const port = await freePort();
    const base = await suite.start({
      ...settings,
      ...{ CONSOLE_URL: `http://127.0.0.1:${port}`, CONSOLE_PORT: port },
      OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
    });
    const { way } = await new Wanderer().go(`${base}/console/v1/oidc/begin`, (at) => at.includes('/#/'));
    expect(way.at(-1)).to.equal(`${base}/#/sign-in?refused=failed`);
  });

  it('reads a MiB of an answer of the provider at most, and follows no redirects', async () => {
    let asked = 0;
    let written = 0;
    let isClosed = Promise.resolve();
    let answer = (_: ServerResponse) => {};
    const hostile = createServer((_, response) => {
      asked += 1;
      isClosed = once(response, 'close').then(() => {});
      answer(response.setHeader('Content-Type', 'application/json'));
    });
    await once(hostile.listen(0, '127.0.0.1'), 'listening');
    const { port } = hostile.address() as AddressInfo;
    const own = await freePort();
    const base = await suite.start({
      ...settings,
      ...{ CONSOLE_URL: `http://127.0.0.1:${own}`, CONSOLE_PORT: own },
      OIDC_ISSUER: `http://127.0.0.1:${port}`,
    });
    const refused = async () => {
      const { way } = await new Wanderer().go(`${base}/console/v1/oidc/begin`, (at) => at.includes('/#/'));
      expect(way.at(-1)).to.equal(`${base}/#/sign-in?refused=failed`);
    };
    answer = (response) => {
      const flood = () => {
        do {
          written += 65_536;
        } while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
      };
      response.on('drain', flood);
      flood();
    };
    await refused();
    await isClosed;
    expect(written).to.be.below(64 * 1_048_576);
    answer = (response) => response.end('['.repeat(500_000) + ']'.repeat(500_000));
    await refused();
    asked = 0;
    answer = (response) => response.writeHead(302, { Location: `http://127.0.0.1:${port}/more` }).end();
    await refused();
    expect(asked).to.equal(1);
    hostile.close();
  });
});
