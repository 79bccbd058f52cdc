import { expect } from 'chai';
import { pino } from 'pino';
import { INTERNAL_SCOPES, PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startApi } from '../../services/api/start.ts';
import { apiConfig, type Call, expectIssues, expectProblem, useApi } from '../support/api.ts';

describe('the key endpoints', () => {
  const api = useApi();
  let admin: string;
  let path: string;
  before(async () => {
    admin = await api.keyWith(['keys:admin']);
    path = `/api/v1/orgs/${api.orgId}/api-keys`;
  });
  const issue = (json: unknown, call: Partial<Call> = {}) =>
    api.call({ method: 'POST', path, key: admin, json, ...call });
  const list = (query = '') => api.call({ path: path + query, key: admin });
  const revoke = (id: string, key = admin) => api.call({ method: 'DELETE', path: `${path}/${id}`, key });
  const me = (key: string) => api.call({ path: '/api/v1/orgs/me', key });
  const stored = () => api.database.rows('select * from api_keys order by id');

  describe('issue keys', () => {
    it('that work at once, shown once', async () => {
      const expiresAt = '2099-01-31T10:00:00.123456+02:00';
      const issued = await issue({ name: 'ERP', scopes: ['assets:read'], expires_at: expiresAt });
      expect(issued.status).to.equal(201);
      const { id, key, created_at } = issued.body?.data ?? {};
      expect(issued.body).to.deep.equal({
        data: {
          id,
          key,
          name: 'ERP',
          scopes: ['assets:read'],
          created_at,
          expires_at: '2099-01-31T08:00:00.123Z',
        },
      });
      expect(key).to.match(new RegExp(`^tt_${id}_`));
      expect(issued.headers.get('location')).to.equal(`${path}/${id}`);
      expect((await api.call({ path: '/api/v1/assets', key })).status).to.equal(200);
      expect((await api.call({ path: '/api/v1/locations', key })).status).to.equal(403);

      const { body } = await list();
      expect(body?.data.find((row: { id: string }) => row.id === id)).to.deep.equal({
        id,
        name: 'ERP',
        scopes: ['assets:read'],
        created_at,
        expires_at: '2099-01-31T08:00:00.123Z',
        revoked_at: null,
        last_used_at: null,
      });
      expect(JSON.stringify(body)).not.to.include(key.slice(-43));
    });

    it('that can do nothing and do not expire, unless told otherwise', async () => {
      for (const json of [{ name: 'a' }, { name: 'a', scopes: [], expires_at: null }]) {
        const { body } = await issue(json);
        expect(body?.data).to.deep.include({ scopes: [], expires_at: null });
        expect((await me(body?.data.key)).body?.data.scopes).to.deep.equal([]);
      }
    });

    it('with each scope once', async () => {
      const scopes = [...PUBLIC_SCOPES, ...PUBLIC_SCOPES];
      expect((await issue({ name: 'a', scopes })).body?.data.scopes).to.deep.equal(PUBLIC_SCOPES);
    });

    for (const [what, json, issues] of [
      ['nothing', {}, [['name', 'required']]],
      ['an empty name', { name: '' }, [['name', 'too_short']]],
      ['a long name', { name: '😀'.repeat(256) }, [['name', 'too_long']]],
      ['control characters', { name: 'a\u0000' }, [['name', 'invalid_value']]],
      [
        'null for name and scopes',
        { name: null, scopes: null },
        [
          ['name', 'invalid_value'],
          ['scopes', 'invalid_value'],
        ],
      ],
      [
        'internal scopes',
        { name: 'a', scopes: ['assets:read', ...INTERNAL_SCOPES, 'scans:write'] },
        [...INTERNAL_SCOPES, 'scans:write'].map(
          (_scope, index) => [`scopes[${index + 1}]`, 'invalid_value'] as const,
        ),
      ],
      ['an unknown scope', { name: 'a', scopes: ['assets:READ'] }, [['scopes[0]', 'invalid_value']]],
      [
        'an expiry that is past',
        { name: 'a', expires_at: '2020-01-01T00:00:00Z' },
        [['expires_at', 'invalid_value']],
      ],
      ['an expiry that is no time', { name: 'a', expires_at: 5 }, [['expires_at', 'invalid_value']]],
      [
        'unknown fields',
        { key: 'x', id: 'y', name: 'a' },
        [
          ['id', 'unknown_field'],
          ['key', 'unknown_field'],
        ],
      ],
    ] as const) {
      it(`refusing ${what}`, async () => {
        const rows = await stored();
        expectIssues(await issue(json), issues);
        expect(await stored()).to.deep.equal(rows);
      });
    }

    it('refusing internal scopes with those that can be given', async () => {
      const { body } = await issue({ name: 'a', scopes: ['keys:admin'] });
      expect(body?.error?.fields?.[0]?.params).to.deep.equal({ allowed_values: PUBLIC_SCOPES });
    });

    it('refusing another type than was expected', async () => {
      const detail = 'Body field "scopes[0]" could not be decoded as the expected type';
      expectProblem(await issue({ name: 'a', scopes: [1] }), 'bad_request', detail);
    });
  });

  describe('list keys', () => {
    it('in the order they were issued in, page by page, revoked and expired ones too', async () => {
      const { orgId } = await api.organization('Paged');
      const key = await api.keyWith(['keys:admin'], { orgId });
      await api.keyWith([], { orgId, expiresAt: '2020-01-01T00:00:00.1239Z' });
      await api.database.rows(`update api_keys set revoked_at = now() where org_id = $1 and scopes = '{}'`, [
        orgId,
      ]);
      const get = (query: string) => api.call({ path: `/api/v1/orgs/${orgId}/api-keys${query}`, key });
      const { body: all } = await get('');
      expect(all).to.include({ limit: 50, offset: 0, total_count: 3 });
      const rows: { id: string; revoked_at: string | null; expires_at: string | null }[] = all?.data;
      expect(rows.map(({ revoked_at }) => revoked_at !== null)).to.deep.equal([false, false, true]);
      expect(rows[2]?.expires_at).to.equal('2020-01-01T00:00:00.123Z');
      const { body: page } = await get('?limit=1&offset=2');
      expect(page).to.deep.equal({ data: [rows[2]], limit: 1, offset: 2, total_count: 3 });
      expect((await get('?offset=3')).body).to.deep.equal({ data: [], limit: 50, offset: 3, total_count: 3 });
    });

    it('with no parameters but those of a page', async () => {
      expectIssues(await list('?sort=name&limit=201'), [
        ['limit', 'too_large'],
        ['sort', 'unknown_field'],
      ]);
    });
  });

  describe('revoke keys', () => {
    it('from the next request on, in every process', async () => {
      const lifecycle = new Lifecycle(pino({ level: 'silent' }));
      const { url } = await startApi(apiConfig(api.database.url), pino({ level: 'silent' }), lifecycle);
      try {
        for (let round = 0; round < 10; round++) {
          const { id, key } = (await issue({ name: 'a' })).body?.data ?? {};
          const elsewhere = () =>
            fetch(`${url}/api/v1/orgs/me`, { headers: { Authorization: `Bearer ${key}` } });
          expect((await me(key)).status).to.equal(200);
          expect((await elsewhere()).status).to.equal(200);
          expect((await revoke(id)).status).to.equal(204);
          expectProblem(await me(key), 'unauthorized', 'API key has been revoked');
          expect((await elsewhere()).status).to.equal(401);
        }
      } finally {
        await lifecycle.stop();
      }
    });

    it('once, and says when in the list', async () => {
      const { id } = (await issue({ name: 'a' })).body?.data ?? {};
      const answers = await Promise.all([revoke(id), revoke(id), revoke(id)]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 404, 404]);
      const [row] =
        (await list('?limit=200')).body?.data.filter((listed: { id: string }) => listed.id === id) ?? [];
      expect(row.revoked_at).to.match(/^\d{4}-.*Z$/);
      expectProblem(await revoke(id), 'not_found', 'API key not found');
      expect((await list('?limit=200')).body?.data).to.deep.include(row);
    });

    it('that ask for it themselves', async () => {
      const key = await api.keyWith(['keys:admin']);
      expect((await revoke(String(key.split('_')[1]), key)).status).to.equal(204);
      expectProblem(await api.call({ path, key }), 'unauthorized', 'API key has been revoked');
    });

    for (const id of [
      '1',
      'me',
      'a'.repeat(26),
      '0'.repeat(25),
      '0'.repeat(27),
      '0123456789ABCDEFGHIJKLMNOP',
    ]) {
      it(`refusing the id ${id}`, async () => {
        expectIssues(await revoke(id), [['key_id', 'invalid_value']]);
      });
    }

    it('that exist', async () => {
      expectProblem(await revoke('0'.repeat(26)), 'not_found', 'API key not found');
    });
  });

  it('serve the own organization only', async () => {
    const other = await api.organization('Other');
    const otherKey = other.key.split('_')[1];
    const rows = await stored();
    for (const orgId of [other.orgId, 2_147_483_647]) {
      const base = `/api/v1/orgs/${orgId}/api-keys`;
      for (const call of [
        { path: base },
        { method: 'POST', path: base, json: { name: 'a' } },
        { method: 'DELETE', path: `${base}/${otherKey}` },
      ]) {
        expectProblem(await api.call({ ...call, key: admin }), 'not_found', 'Organization not found');
      }
    }
    expectProblem(await revoke(String(otherKey)), 'not_found', 'API key not found');
    expect(await stored()).to.deep.equal(rows);
  });

  it('need keys:admin, which no public scope implies', async () => {
    for (const call of [
      { path },
      { method: 'POST', path, body: '{' },
      { method: 'DELETE', path: `${path}/x?a=1` },
    ]) {
      expectProblem(await api.call(call), 'forbidden', 'Missing required scope: keys:admin');
    }
  });

  it('check a request in the order of the rest of the API', async () => {
    const wrong = {
      method: 'POST',
      path: '/api/v1/orgs/0/api-keys?a=1',
      key: admin,
      body: '{',
      headers: { 'Content-Type': 'text/plain' },
    };
    expectProblem(await api.call(wrong), 'unsupported_media_type');
    const typed = { ...wrong, headers: {} };
    expectIssues(await api.call(typed), [['a', 'unknown_field']]);
    expectIssues(await api.call({ ...typed, path: '/api/v1/orgs/0/api-keys' }), [['id', 'too_small']]);
    expectProblem(await api.call({ ...typed, path: '/api/v1/orgs/2147483647/api-keys' }), 'not_found');
    expectProblem(await api.call({ ...typed, path }), 'bad_request');
    expectIssues(await api.call({ method: 'DELETE', path: '/api/v1/orgs/me/api-keys/x', key: admin }), [
      ['id', 'invalid_value'],
      ['key_id', 'invalid_value'],
    ]);
  });
});
