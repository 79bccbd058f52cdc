import { expect } from 'chai';
import { type Networks, parseNetworks } from '../../base/networks.ts';
import { makeFirstLink } from '../../domain/administration/users/links/make-link.ts';
import { MACHINE_CLOCKS } from '../../platform/rate-limit/start-limiter.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useConsole } from '../support/console.ts';
import { freePort } from '../support/free-port.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { PASSWORD } from '../support/people.ts';
import { itByNight } from '../support/random-sets.ts';
import { Wanderer } from '../support/wanderer.ts';

describe('signing in at the console', () => {
  const suite = useConsole();
  const { call } = suite;
  let email: string;
  before(async () => {
    email = (await call({ path: '/session' })).body.data.user.email;
  });
  const signIn = (password: string, options = {}) =>
    call({ method: 'POST', path: '/session', token: null, json: { email, password }, ...options });
  const cookieOf = ({ headers }: { headers: Headers }) =>
    /^tagtrail_session=([\w-]{43});/.exec(headers.get('set-cookie') ?? '')?.[1];

  it('answers with who it is, and a cookie that no script reads and no other site sends', async () => {
    const answer = await signIn(PASSWORD);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.data.user).to.deep.include({ email, has_password: true });
    expect(answer.body.data.memberships).to.have.length(1);
    expect(answer.body.data.memberships[0]).to.deep.include({
      organization: { id: suite.orgId, name: 'Own' },
      role: 'admin',
    });
    for (const cookie of answer.headers.getSetCookie()) {
      expect(cookie).to.match(/; Path=\/; HttpOnly; SameSite=Strict$/);
    }
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    const token = cookieOf(answer) ?? null;
    expect((await call({ path: '/session', token })).body.data).to.deep.equal(answer.body.data);
  });

  it('sends its cookie over TLS only where the console is reached over TLS, and asks for that from then on', async () => {
    const url = await suite.start({ CONSOLE_URL: 'https://tracking.example.com' });
    const response = await fetch(`${url}/console/v1/session`, {
      method: 'POST',
      headers: {
        Origin: 'https://tracking.example.com',
        'X-Tagtrail-Console': '1',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    for (const [index, name] of ['session', 'device'].entries()) {
      expect(response.headers.getSetCookie()[index]).to.match(
        new RegExp(`^__Host-tagtrail_${name}=[\\w-]{43}; .*Path=/; HttpOnly; SameSite=Strict; Secure$`),
      );
    }
    expect(response.headers.get('strict-transport-security')).to.equal('max-age=63072000');
  });

  it('never goes on with the session that the browser came with', async () => {
    const [before, planted] = [await suite.as('viewer'), 'A'.repeat(43)];
    for (const token of [before, planted]) {
      const after = cookieOf(await signIn(PASSWORD, { token }));
      expect(after).to.be.a('string').that.is.not.equal(token);
      expect((await call({ path: '/session', token })).status).to.equal(401);
      expect((await call({ path: '/session', token: after ?? null })).status).to.equal(200);
    }
  });

  it('ends with signing out, at once', async () => {
    const token = await suite.as('viewer');
    const answer = await call({ method: 'DELETE', path: '/session', token });
    expect([answer.status, answer.headers.get('set-cookie')?.split(';')[0]]).to.deep.equal([
      204,
      'tagtrail_session=',
    ]);
    expect((await call({ path: '/session', token })).status).to.equal(401);
    expect((await call({ path: '/assets', token })).status).to.equal(401);
    expect((await call({ method: 'DELETE', path: '/session', token: null })).status).to.equal(204);
  });

  it('tells a wrong password from an unknown account to nobody', async () => {
    const wrong = await signIn('not the password');
    const unknown = await call({
      ...{ method: 'POST', path: '/session', token: null },
      json: { email: 'nobody@example.com', password: 'not the password' },
    });
    const said = ({ body: { error } }: typeof wrong) => ({ ...error, request_id: '' });
    expect([wrong.status, said(wrong)]).to.deep.equal([401, said(unknown)]);
    expect(wrong.headers.get('set-cookie')).to.equal(null);
  });

  it('is refused beyond a number of attempts for one account, and says when to try again', async () => {
    const attempt = (name: string) =>
      call({
        ...{ method: 'POST', path: '/session', token: null },
        json: { email: name, password: 'guess' },
      });
    const answers = [];
    for (let count = 0; count < 11; count++) {
      answers.push(await attempt(count % 2 === 0 ? 'guessed@example.com' : ' GUESSED@example.com'));
    }
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array(10).fill(401), 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).to.be.within(1, 10);
    expect(answers.at(-1)?.body.error.detail).to.match(/for this account; try again in \d+ seconds/);
    expect((await attempt('other@example.com')).status).to.equal(401);
  });

  it('is refused from an address that has tried too often, whichever the accounts', async () => {
    // One for which no time passes. What is beyond the attempts of an account takes none of the time of a password.
    const url = await suite.start({}, { clocks: { ...MACHINE_CLOCKS, monotonic: () => 0 } });
    const attempt = async (email: string) => {
      const response = await fetch(`${url}/console/v1/session`, {
        method: 'POST',
        headers: { Origin: url, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify({ email, password: 'guess' }),
      });
      return ((await response.json()) as { error: { detail: string } }).error.detail;
    };
    const details: string[] = [];
    for (let count = 0; count < 61; count++) {
      details.push(await attempt('many@example.com'));
    }
    expect(details.findIndex((detail) => detail.includes('from this address'))).to.equal(60);
    expect(await attempt('somebody.else@example.com')).to.include('from this address');
  });

  it('lets who has signed in with a browser before in, however often strangers fail at the account', async () => {
    const account = 'wanted@example.com';
    await suite.people.user(account);
    // One with limits of its own, which other tests have not used up.
    const url = await suite.start();
    const attempt = (password: string, device: string | null, email = account) =>
      fetch(`${url}/console/v1/session`, {
        method: 'POST',
        headers: {
          ...{ Origin: url, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
          ...(device === null ? {} : { Cookie: `tagtrail_device=${device}` }),
        },
        body: JSON.stringify({ email, password }),
      });
    const first = await attempt(PASSWORD, null);
    const [, device = ''] =
      /tagtrail_device=([\w-]{43}); Max-Age=34560000;/.exec(first.headers.get('set-cookie') ?? '') ?? [];
    for (let limited = false; !limited; ) {
      limited = (await attempt('guess', null)).status === 429;
    }
    expect((await attempt(PASSWORD, null)).status).to.equal(429);
    expect((await attempt(PASSWORD, 'A'.repeat(43))).status).to.equal(429);
    const stranger = await attempt(PASSWORD, null, email);
    const [, strange = ''] =
      /tagtrail_device=([\w-]{43})/.exec(stranger.headers.get('set-cookie') ?? '') ?? [];
    expect((await attempt(PASSWORD, strange)).status).to.equal(429);
    const again = await attempt(PASSWORD, device);
    expect(again.status).to.equal(200);

    // Each time by another token, with the attempts that are left of it.
    expect((await attempt(PASSWORD, device)).status).to.equal(429);
    const [, renewed = ''] = /tagtrail_device=([\w-]{43})/.exec(again.headers.get('set-cookie') ?? '') ?? [];
    for (let limited = false; !limited; ) {
      limited = (await attempt('guess', renewed)).status === 429;
    }
    expect((await attempt(PASSWORD, renewed)).status).to.equal(429);
  });

  for (const rate of [2, 10]) {
    const test = rate === 10 ? it : itByNight;
    test(`lets in who is known, links and single sign-on while ${rate} wrong sign-ins a second come from the same address`, async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const provider = await startIdentityProvider(`${url}/console/v1/oidc/callback`);
      let micros = 0;
      const clocks = { ...MACHINE_CLOCKS, monotonic: () => micros };
      const oidc = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: provider.clientId };
      await suite.start(
        {
          ...{ CONSOLE_URL: url, CONSOLE_PORT: port, ...oidc, OIDC_CLIENT_SECRET: provider.clientSecret },
          // As by default.
          ...{ CONSOLE_RATE_LIMIT_PER_MINUTE: 600, CONSOLE_RATE_LIMIT_BURST: 1_200 },
          SIGN_IN_FAILURES_PER_MINUTE: 600,
        },
        { clocks },
      );
      const post = (path: string, json: object, device: string | null = null) =>
        fetch(`${url}/console/v1${path}`, {
          method: 'POST',
          headers: {
            ...{ Origin: url, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
            ...(device === null ? {} : { Cookie: `tagtrail_device=${device}` }),
          },
          body: JSON.stringify(json),
        });
      const deviceOf = (response: Response) =>
        /tagtrail_device=([\w.-]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? null;
      const [known, victim] = [`known${rate}@example.com`, `guessed${rate}@example.com`];
      await suite.people.user(known);
      await suite.people.user(victim);
      const provided = { email: `provided${rate}@example.com`, email_verified: true, name: 'Provided' };
      await suite.people.user(provided.email);
      provider.whoComes = 'provided';
      provider.people.set(provider.whoComes, provided);
      let device = deviceOf(await post('/session', { email: known, password: PASSWORD }));
      const refusals = { wrong: 0, known: 0, links: 0, provider: 0 };
      for (let second = 0; second < 120; second++) {
        for (let count = 0; count < rate; count++) {
          micros += 1_000_000 / rate;
          const wrong = await post('/session', { email: victim, password: 'guess' });
          refusals.wrong += wrong.status === 429 ? 1 : 0;
        }
        if (second % 15 !== 14) {
          continue;
        }
        const again = await post('/session', { email: known, password: PASSWORD }, device);
        refusals.known += again.status === 200 ? 0 : 1;
        device = deviceOf(again);

        const orgId = await suite.people.organization(`Of second ${second}`);
        const { token } = await makeFirstLink(suite.people.db, TEST_ACTOR, orgId);
        const accepted = { token, email: `${rate}-${second}@example.com`, name: 'New', password: PASSWORD };
        refusals.links += (await post('/links/look', { token })).status === 200 ? 0 : 1;
        refusals.links += (await post('/links/accept', accepted)).status === 200 ? 0 : 1;

        const { way } = await new Wanderer().go(
          `${url}/console/v1/oidc/begin`,
          (at) => at === `${url}/` || at.startsWith(`${url}/#`),
        );
        refusals.provider += way.at(-1) === `${url}/` ? 0 : 1;
      }
      await provider.close();
      expect(refusals.wrong, 'the guesses are limited').to.be.above(rate * 60);
      expect(refusals).to.include({ known: 0, links: 0, provider: 0 });
    });
  }

  it('counts the users behind a proxy by their own addresses, if TRUSTED_PROXIES names it', async () => {
    const networks = parseNetworks('127.0.0.1') as Networks;
    const url = await suite.start(
      { TRUSTED_PROXIES: networks },
      { clocks: { ...MACHINE_CLOCKS, monotonic: () => 0 } },
    );
    const attempt = (forwarded: string, password: string) =>
      fetch(`${url}/console/v1/session`, {
        method: 'POST',
        headers: {
          ...{ Origin: url, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
          'X-Forwarded-For': forwarded,
        },
        body: JSON.stringify({ email: password === PASSWORD ? email : 'many@example.com', password }),
      });
    const statuses = new Set<number>();
    for (let count = 0; count < 61; count++) {
      // An address that the client claims, in front of the one that the proxy saw, changes nothing.
      statuses.add((await attempt(`10.1.1.${count}, 192.0.2.1`, 'guess')).status);
    }
    expect([...statuses]).to.deep.equal([401, 429]);
    expect((await attempt('192.0.2.1', PASSWORD)).status).to.equal(429);
    const elsewhere = await attempt('192.0.2.2', PASSWORD);
    expect(elsewhere.status).to.equal(200);
    const token = cookieOf(elsewhere) ?? null;
    const { data } = (await call({ path: '/sessions', token })).body;
    expect(data.find(({ is_this }: { is_this: boolean }) => is_this).address).to.equal('192.0.2.2');
  });

  it('lists where the user is signed in, and ends one elsewhere', async () => {
    const { token: own } = await suite.people.user('twice@example.com');
    const other = cookieOf(
      await call({
        ...{ method: 'POST', path: '/session', token: null },
        json: { email: 'twice@example.com', password: PASSWORD },
      }),
    );
    const { data } = (await call({ path: '/sessions', token: own })).body;
    expect(data.map(({ is_this }: { is_this: boolean }) => is_this).sort()).to.deep.equal([false, true]);
    const { id } = data.find(({ is_this }: { is_this: boolean }) => !is_this);
    expect((await call({ method: 'DELETE', path: `/sessions/${id}`, token: suite.token })).status).to.equal(
      404,
    );
    expect((await call({ method: 'DELETE', path: `/sessions/${id}`, token: own })).status).to.equal(204);
    expect((await call({ path: '/session', token: other ?? null })).status).to.equal(401);
  });

  it('needs the current password to change it, and ends every other session with that', async () => {
    const { token } = await suite.people.user('changes@example.com');
    const change = (current_password: string, password: string) =>
      call({ method: 'POST', path: '/password', token, json: { current_password, password } });
    const refused = await change('wrong', 'a new one of several words');
    expect(refused.body.error.fields.map(({ field }: { field: string }) => field)).to.deep.equal([
      'current_password',
    ]);
    expect((await change(PASSWORD, 'short')).body.error.fields[0].field).to.equal('password');
    expect((await change(PASSWORD, 'a new one of several words')).status).to.equal(204);
    expect((await call({ path: '/session', token })).status).to.equal(200);
  });

  it('keeps nobody from changing the password, whatever strangers call the account they fail at', async () => {
    const { token } = await suite.people.user('kept@example.com');
    const { session_id: id } = (await call({ path: '/session', token })).body.data;
    for (let limited = false; !limited; ) {
      const json = { email: `session ${id}`, password: 'guess' };
      limited = (await call({ method: 'POST', path: '/session', token: null, json })).status === 429;
    }
    const json = { current_password: PASSWORD, password: 'a new one of several words' };
    expect((await call({ method: 'POST', path: '/password', token, json })).status).to.equal(204);
  });

  it('makes the first administrator by a link, once', async () => {
    const orgId = await suite.people.organization('Second');
    const { token: link } = await makeFirstLink(suite.people.db, TEST_ACTOR, orgId);
    const look = () => call({ method: 'POST', path: '/links/look', token: null, json: { token: link } });
    expect((await look()).body.data).to.deep.include({
      ...{ purpose: 'first', organization: { id: orgId, name: 'Second' }, email: null, role: 'admin' },
    });
    const accept = () =>
      call({
        ...{ method: 'POST', path: '/links/accept', token: null },
        json: { token: link, email: 'first@example.com', name: 'First', password: PASSWORD },
      });
    const accepted = await accept();
    expect(accepted.status, accepted.text).to.equal(200);
    expect(accepted.body.data.memberships[0]).to.deep.include({ role: 'admin' });
    expect((await call({ path: '/assets', token: cookieOf(accepted) ?? null })).status).to.equal(200);
    expect((await accept()).status).to.equal(404);
    expect((await look()).status).to.equal(404);
  });
});
