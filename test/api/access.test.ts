import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { revokeKey } from '../../domain/administration/api-keys/revoke-key.ts';
import { PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { CredentialCache } from '../../platform/access/credential-cache.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { type Call, expectProblem, useApi } from '../support/api.ts';
import { sendInterrupted } from '../support/raw-request.ts';

describe('API keys', () => {
  const api = useApi();
  const me = (call: Partial<Call> = {}) => api.call({ path: '/api/v1/orgs/me', ...call });
  const untilStatus = async (key: string, status: number) => {
    for (;;) {
      const answer = await me({ key });
      if (answer.status === status) {
        return answer;
      }
    }
  };

  const isOver = async (key: string) => {
    const [row] = await api.database.rows<{ is_over: boolean }>(
      'select expires_at <= clock_timestamp() as is_over from api_keys where id = $1',
      [key.split('_')[1]],
    );
    return row?.is_over === true;
  };

  it('are stored as a digest of their secret only', async () => {
    const key = await api.keyWith(['assets:read', 'assets:read']);
    expect(key).to.match(/^tt_[0-9A-HJKMNP-TV-Z]{26}_[A-Za-z0-9_-]{43}$/);
    const [, id, secret] = /^tt_(.{26})_(.{43})$/.exec(key) ?? [];
    const rows = await api.database.rows('select * from api_keys where id = $1', [id]);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({ org_id: api.orgId, scopes: ['assets:read'], expires_at: null });
    expect(rows[0]?.['secret_sha256']).to.deep.equal(createHash('sha256').update(String(secret)).digest());
    expect(JSON.stringify(rows)).not.to.include(secret);
  });

  for (const [what, headers, detail] of [
    ['no header', {}, 'Missing authorization header'],
    ['another scheme', { Authorization: 'Basic abc' }, 'Invalid authorization header format'],
    ['an empty token', { Authorization: 'Bearer ' }, 'Invalid authorization header format'],
    ['two tokens', { Authorization: 'Bearer a b' }, 'Invalid authorization header format'],
    ['a malformed token', { Authorization: 'Bearer abc' }, 'Invalid or expired token'],
    ['X-API-Key', { 'X-API-Key': 'abc' }, 'Use Authorization: Bearer <token>'],
    ['both headers', { 'X-API-Key': 'abc', Authorization: 'Bearer abc' }, 'Invalid or expired token'],
  ] as const) {
    it(`answer 401 to ${what}, with a challenge`, async () => {
      const answer = await me({ key: null, headers });
      expectProblem(answer, 'unauthorized', detail);
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="tagtrail"');
    });
  }

  it('are accepted with the scheme in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const answer = await me({ key: null, headers: { Authorization: `${scheme} ${api.key}` } });
      expect(answer.status).to.equal(200);
    }
  });

  it('are refused with another secret, and if unknown', async () => {
    const other = await api.keyWith([]);
    const mixed = `${api.key.slice(0, 30)}${other.slice(30)}`;
    for (const key of [mixed, api.key.slice(0, -1), `tt_${'0'.repeat(26)}_${'a'.repeat(43)}`]) {
      expectProblem(await me({ key }), 'unauthorized', 'Invalid or expired token');
    }
  });

  it('are refused from the request after their expiry on, also if they were in use before', async () => {
    const key = await api.keyWith([], { expiresAt: '2099-01-01T00:00:00Z' });
    expect((await me({ key })).status).to.equal(200);
    await api.database.rows(
      `update api_keys set expires_at = clock_timestamp() + interval '1 second' where id = $1`,
      [key.split('_')[1]],
    );
    while (!(await isOver(key))) {
      // Asked again and again, so that the API knows the key when its time comes.
      await me({ key });
    }
    expectProblem(await me({ key }), 'unauthorized', 'API key has expired');
  });

  it('are refused once they are revoked, also if they were in use before', async () => {
    const key = await api.keyWith([]);
    expect((await me({ key })).status).to.equal(200);
    await api.database.rows('update api_keys set revoked_at = now() where id = $1', [key.split('_')[1]]);
    expectProblem(await untilStatus(key, 401), 'unauthorized', 'API key has been revoked');
  });

  for (const [what, path, type, body] of [
    ['a create', '/api/v1/assets', 'application/json', '{"external_key":"LATE","name":"late"}'],
    [
      'an import',
      '/api/v1/assets/bulk',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nexternal_key,name\nLATE,late\r\n--x--\r\n',
    ],
  ] as const) {
    it(`are refused when they are revoked before all of ${what} has come`, async () => {
      const key = await api.keyWith(PUBLIC_SCOPES);
      const headers = { authorization: `Bearer ${key}`, 'content-type': type };
      const revoke = async () => {
        expect((await me({ key })).status).to.equal(200);
        const queries = createWritePool(api.database.url, { max: 1 });
        await revokeKey(databaseOn(queries), TEST_ACTOR, key.split('_')[1] ?? '');
        await queries.end();
      };
      const answer = await sendInterrupted(api.url + path, { method: 'POST', headers, body }, revoke);
      expect(answer.status).to.equal(401);
      expect(JSON.parse(answer.text).error.detail).to.equal('API key has been revoked');
      expect(await api.database.rows(`select from assets where external_key = 'LATE'`)).to.deep.equal([]);
    });
  }

  it('lose a scope at once', async () => {
    const key = await api.keyWith(['assets:read']);
    expect((await api.call({ path: '/api/v1/assets', key })).status).to.equal(200);
    await api.database.rows(`update api_keys set scopes = '{}' where id = $1`, [key.split('_')[1]]);
    await untilStatus(key, 200);
    let answer = await api.call({ path: '/api/v1/assets', key });
    while (answer.status === 200) {
      answer = await api.call({ path: '/api/v1/assets', key });
    }
    expectProblem(answer, 'forbidden', 'Missing required scope: assets:read');
  });

  it('are looked up again if one of them changed while they were looked up', async () => {
    let looks = 0;
    const cache = new CredentialCache({
      look: async () => {
        looks++;
        if (looks === 1) {
          cache.clear();
        }
        return { seconds_left: null };
      },
      isFresh: () => true,
      now: () => 0,
    });
    for (const expected of [1, 2, 2]) {
      await cache.get('any');
      expect(looks).to.equal(expected);
    }
  });

  it('are looked up every time while changes cannot be heard, and work again after', async () => {
    const terminated = await api.database.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'tagtrail listen'`,
    );
    // One for keys, one for the move feed.
    expect(terminated).to.have.length(2);
    const key = await api.keyWith([]);
    expect((await me({ key })).status).to.equal(200);
    await api.database.rows('update api_keys set revoked_at = now() where id = $1', [key.split('_')[1]]);
    expectProblem(await untilStatus(key, 401), 'unauthorized', 'API key has been revoked');
  });

  it('are not made for unknown scopes, names out of bounds, or no organization that is there', async () => {
    const codeOf = async (made: Promise<unknown>) =>
      (
        await made.then(
          () => ({ code: null }),
          (error: { code: string }) => error,
        )
      ).code;
    expect(await codeOf(api.keyWith(['assets:admin']))).to.equal('invalid_input');
    expect(await codeOf(api.keyWith([], { expiresAt: 'tomorrow' }))).to.equal('invalid_input');
    expect(await codeOf(api.keyWith([], { orgId: 2_147_483_647 }))).to.equal('not_found');
    const { orgId } = await api.organization('Gone');
    await api.database.rows('update organizations set deleted_at = now() where id = $1', [orgId]);
    expect(await codeOf(api.keyWith([], { orgId }))).to.equal('not_found');
    expect(await codeOf(api.organization(''))).to.equal('invalid_input');
  });
});
