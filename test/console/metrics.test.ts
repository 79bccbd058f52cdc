import { expect } from 'chai';
import { makeSignInLink } from '../../domain/administration/users/links/make-link.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useConsole } from '../support/console.ts';
import { PASSWORD } from '../support/people.ts';

const SIGN_INS = 'tagtrail_console_sign_ins_total';

describe('the metrics of the console', () => {
  const suite = useConsole();
  const { call, people } = suite;
  const leaving = new AbortController();
  after(() => leaving.abort());
  const figures = async () => {
    const text = await (await fetch(`${suite.url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  };
  const signIn = (email: string, password: string) =>
    call({ method: 'POST', path: '/session', token: null, json: { email, password } });

  it('count sign-ins by way and outcome', async () => {
    const { userId } = await people.user('ann@example.com', { orgId: suite.orgId, role: 'viewer' });
    const { token } = await makeSignInLink(people.db, TEST_ACTOR, userId);
    await signIn('ann@example.com', PASSWORD);
    await signIn('ann@example.com', 'wrong, but long enough');
    await signIn('nobody@example.com', 'wrong, but long enough');
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await signIn('guessed@example.com', 'wrong, but long enough');
    }
    for (const [path, json] of [
      ['/links/accept', { token }],
      ['/links/accept', { token }],
    ] as const) {
      await call({ method: 'POST', path, json, token: null });
    }
    const counted = await figures();
    const of = (way: string) =>
      ['accepted', 'refused', 'limited', 'failed'].map((outcome) =>
        counted.get(`${SIGN_INS}{way="${way}",outcome="${outcome}"}`),
      );
    expect(of('password')).to.deep.equal([1, 12, 2, 0]);
    expect(of('link')).to.deep.equal([1, 1, 0, 0]);
    expect(of('provider')).to.deep.equal([0, 0, 0, 0]);
    expect(counted.get('tagtrail_check_up{check="database"}')).to.equal(1);
    const [sessions] = await suite.database.rows<{ count: number }>(
      'select count(*)::int as count from sessions',
    );
    expect(counted.get('tagtrail_console_sessions')).to.equal(sessions?.count);
  });

  it('tell how many pages are sent moves', async () => {
    const token = await suite.as('viewer');
    const stream = await fetch(`${suite.url}/console/v1/events`, {
      headers: { Cookie: `tagtrail_session=${token}` },
      signal: leaving.signal,
    });
    const reader = stream.body?.getReader();
    await reader?.read();
    expect((await figures()).get('tagtrail_console_event_streams')).to.equal(1);
  });

  it('time requests by operation, as those of the other services', async () => {
    await call({ path: '/tree' });
    const counted = await figures();
    expect(counted.get('tagtrail_http_request_duration_seconds_count{operation="readTree"}')).to.equal(1);
    expect(
      counted.get('tagtrail_http_requests_total{operation="readTree",method="GET",status="200"}'),
    ).to.equal(1);
  });
});
