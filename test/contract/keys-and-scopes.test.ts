import { expect } from 'chai';
import { expectError, useClient } from '../support/contract-client.ts';

const OPERATIONS: [method: string, path: string, scope: string | null][] = [
  ['GET', '/assets', 'assets:read'],
  ['GET', '/assets/1', 'assets:read'],
  ['POST', '/assets', 'assets:write'],
  ['PATCH', '/assets/1', 'assets:write'],
  ['DELETE', '/assets/9', 'assets:write'],
  ['POST', '/assets/1/rename', 'assets:write'],
  ['POST', '/assets/1/tags', 'assets:write'],
  ['DELETE', '/assets/1/tags/1', 'assets:write'],
  ['GET', '/assets/1/history', 'tracking:read'],
  ['GET', '/assets/1/readings', 'tracking:read'],
  ['GET', '/reports/asset-locations', 'tracking:read'],
  ['GET', '/changes', 'changes:read'],
  ['GET', '/locations', 'locations:read'],
  ['GET', '/locations/1', 'locations:read'],
  ['GET', '/locations/1/ancestors', 'locations:read'],
  ['GET', '/locations/1/children', 'locations:read'],
  ['GET', '/locations/1/descendants', 'locations:read'],
  ['POST', '/locations', 'locations:write'],
  ['PATCH', '/locations/1', 'locations:write'],
  ['DELETE', '/locations/9', 'locations:write'],
  ['POST', '/locations/1/rename', 'locations:write'],
  ['POST', '/locations/1/tags', 'locations:write'],
  ['DELETE', '/locations/1/tags/1', 'locations:write'],
  ['GET', '/orgs/me', null],
];
const SCOPES = [
  'assets:read',
  'assets:write',
  'locations:read',
  'locations:write',
  'tracking:read',
  'tracking:write',
  'changes:read',
];
const CHALLENGE = 'Bearer realm="tagtrail"';

describe('access', () => {
  const client = useClient();

  describe('keys', () => {
    before(async () => {
      await client.make('assets');
      await client.make('locations');
    });
    /** Asks for an operation with these headers instead of a key. */
    const call = (method: string, path: string, headers: Record<string, string>) =>
      client.api.call({
        method,
        path: `/api/v1${path}`,
        key: null,
        headers,
        ...((method === 'POST' || method === 'PATCH') && { json: {} }),
      });

    const REFUSED: [what: string, headers: Record<string, string>, detail: string][] = [
      ['no Authorization', {}, 'Missing authorization header'],
      ['the scheme Basic', { Authorization: 'Basic dGVzdDp0ZXN0' }, 'Invalid authorization header format'],
      ['the scheme Token', { Authorization: 'Token abc' }, 'Invalid authorization header format'],
      ['only a scheme', { Authorization: 'Bearer' }, 'Invalid authorization header format'],
      ['an empty token', { Authorization: 'Bearer ' }, 'Invalid authorization header format'],
      ['an empty Authorization', { Authorization: '' }, ''],
      [
        'a bare key',
        { Authorization: `tt_${'A'.repeat(26)}_${'a'.repeat(43)}` },
        'Invalid authorization header format',
      ],
      ['a malformed token', { Authorization: 'Bearer nonsense' }, 'Invalid or expired token'],
      [
        'an unknown token',
        { Authorization: `Bearer tt_${'0'.repeat(26)}_${'a'.repeat(43)}` },
        'Invalid or expired token',
      ],
      ['X-API-Key', { 'X-API-Key': 'abc' }, 'Use Authorization: Bearer <token>'],
      [
        'X-API-Key beside a wrong scheme',
        { 'X-API-Key': 'abc', Authorization: 'Basic x' },
        'Invalid authorization header format',
      ],
    ];
    for (const [what, headers, detail] of REFUSED) {
      it(`are not ${what}, at any operation`, async () => {
        for (const [method, path] of OPERATIONS) {
          const answer = await call(method, path, headers);
          expectError(answer, 401, 'unauthorized', ...(detail === '' ? [] : [detail]));
          expect(answer.headers.get('www-authenticate')).to.equal(CHALLENGE);
        }
      });
    }

    it('do not work in X-API-Key', async () => {
      const answer = await call('GET', '/assets', { 'X-API-Key': client.api.key });
      expectError(answer, 401, 'unauthorized', 'Use Authorization: Bearer <token>');
    });

    it('work beside an X-API-Key, which is not looked at', async () => {
      expect((await client.get('/assets', { headers: { 'X-API-Key': 'abc' } })).status).to.equal(200);
    });

    it('work with the scheme in any letter case', async () => {
      for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
        expect(
          (await call('GET', '/assets', { Authorization: `${scheme} ${client.api.key}` })).status,
        ).to.equal(200);
      }
    });

    it('are compared as a whole', async () => {
      const { key } = client.api;
      for (const token of [
        `${key}x`,
        key.slice(0, -1),
        key.toUpperCase(),
        `${key} x`,
        key.replace('tt_', 'TT_'),
      ]) {
        expect((await call('GET', '/assets', { Authorization: `Bearer ${token}` })).status).to.equal(401);
      }
    });

    it('are refused once they expired or were revoked in the database, also if they were in use', async () => {
      for (const [column, detail] of [
        ['expires_at', 'API key has expired'],
        ['revoked_at', 'API key has been revoked'],
      ] as const) {
        const key = await client.api.keyWith(SCOPES);
        expect((await client.get('/assets', { key })).status).to.equal(200);
        await client.api.database.rows(`update api_keys set ${column} = now() where id = $1`, [
          key.split('_')[1],
        ]);
        let answer = await client.get('/assets', { key });
        while (answer.status === 200) {
          answer = await client.get('/assets', { key });
        }
        expectError(answer, 401, 'unauthorized', detail);
        expect(answer.headers.get('www-authenticate')).to.equal(CHALLENGE);
      }
    });

    it('are told that they have expired by their own time', async () => {
      const key = await client.api.keyWith(SCOPES, { expiresAt: '2020-01-01T00:00:00Z' });
      expectError(await client.get('/orgs/me', { key }), 401, 'unauthorized', 'API key has expired');
    });

    it('have the form tt_<26 characters>_<43 characters>', () => {
      expect(client.api.key).to.match(/^tt_[0-9A-Za-z]{26}_[0-9A-Za-z_-]{43}$/);
    });

    it('act in their own organization', async () => {
      const { orgId, key } = await client.api.organization('Mine');
      const { body } = await client.get('/orgs/me', { key });
      expect(Object.keys(body?.data)).to.deep.equal(['id', 'name', 'scopes', 'api_key_id']);
      expect(body?.data).to.include({ id: orgId, name: 'Mine', api_key_id: key.split('_')[1] });
      expect(body?.data.scopes).to.have.members(SCOPES);
    });

    it('of a deleted organization are 422 at /orgs/me and 403 everywhere else', async () => {
      const { orgId, key } = await client.api.organization('Gone');
      await client.api.database.rows('update organizations set deleted_at = now() where id = $1', [orgId]);
      for (const [method, path] of OPERATIONS) {
        const answer = await call(method, path, { Authorization: `Bearer ${key}` });
        if (path === '/orgs/me') {
          expectError(answer, 422, 'missing_org_context');
        } else {
          expectError(answer, 403, 'forbidden');
        }
      }
    });
  });

  describe('scopes', () => {
    before(async () => {
      await client.make('assets');
      await client.make('locations');
    });

    for (const [method, path, scope] of OPERATIONS) {
      it(`let ${method} ${path} through with ${scope ?? 'none'} and nothing less`, async () => {
        const call = (key: string, verb = method) =>
          client.api.call({
            method: verb,
            path: `/api/v1${path}`,
            key,
            ...((method === 'POST' || method === 'PATCH') && { json: {} }),
          });
        const enough = await call(await client.api.keyWith(scope === null ? [] : [scope]));
        expect(enough.status).not.to.equal(403);
        expect(enough.status).to.be.below(500);
        if (scope !== null) {
          const others = await client.api.keyWith(SCOPES.filter((name) => name !== scope));
          expectError(await call(others), 403, 'forbidden', `Missing required scope: ${scope}`);
          if (method === 'GET') {
            expect((await call(others, 'HEAD')).status).to.equal(403);
          }
        }
      });
    }
  });
});
