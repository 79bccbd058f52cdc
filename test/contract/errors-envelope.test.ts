import { expect } from 'chai';
import { useClient } from '../support/contract-client.ts';
import type { Answer } from '../support/declared-answer.ts';

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const KEYS = ['type', 'title', 'status', 'detail', 'instance', 'request_id'];

describe('answers', () => {
  const client = useClient();

  describe('an error', () => {
    const answers: Record<string, { answer: Answer; status: number; title: string; instance: string }> = {};
    before(async () => {
      const { api } = client;
      const { id } = await client.make('assets', { external_key: 'TAKEN' });
      const { orgId, key } = await api.organization('Deleted');
      await api.database.rows('update organizations set deleted_at = now() where id = $1', [orgId]);
      const none = await api.keyWith([]);
      const add = async (
        type: string,
        status: number,
        title: string,
        instance: string,
        answer: Promise<Answer>,
      ) => {
        answers[type] = { answer: await answer, status, title, instance: `/api/v1${instance}` };
      };
      await add('validation_error', 400, 'Validation failed', '/assets', client.get('/assets?x=1'));
      await add('bad_request', 400, 'Bad request', '/assets', client.post('/assets', []));
      await add('unauthorized', 401, 'Unauthorized', '/assets', client.get('/assets', { key: null }));
      await add('forbidden', 403, 'Forbidden', '/assets', client.get('/assets', { key: none }));
      await add('not_found', 404, 'Not found', '/assets/2147483647', client.get('/assets/2147483647'));
      await add('method_not_allowed', 405, 'Method not allowed', '/orgs/me', client.remove('/orgs/me'));
      await add(
        'conflict',
        409,
        'Conflict',
        '/assets',
        client.post('/assets', { name: 'x', external_key: 'TAKEN' }),
      );
      await add(
        'payload_too_large',
        413,
        'Payload too large',
        `/assets/${id}`,
        client.patch(`/assets/${id}`, { name: 'x'.repeat(1_100_000) }),
      );
      await add(
        'unsupported_media_type',
        415,
        'Unsupported media type',
        `/assets/${id}/tags`,
        client.post(`/assets/${id}/tags`, {}, { headers: { 'Content-Type': 'text/plain' } }),
      );
      await add(
        'missing_org_context',
        422,
        'Missing org context',
        '/orgs/me',
        client.get('/orgs/me', { key }),
      );
    });

    for (const type of [
      'validation_error',
      'bad_request',
      'unauthorized',
      'forbidden',
      'not_found',
      'method_not_allowed',
      'conflict',
      'payload_too_large',
      'unsupported_media_type',
      'missing_org_context',
    ]) {
      it(`of type ${type} has the envelope and nothing else`, async () => {
        const { answer, status, title, instance } = answers[type] ?? expect.fail();
        expect(answer.status).to.equal(status);
        expect(answer.headers.get('content-type')).to.match(/^application\/json(;|$)/);
        expect(Object.keys(answer.body ?? {})).to.deep.equal(['error']);
        const { error } = answer.body ?? {};
        expect(Object.keys(error ?? {})).to.deep.equal(
          type === 'validation_error' ? [...KEYS, 'fields'] : KEYS,
        );
        expect(error).to.include({ type, title, status, instance });
        expect(error?.detail).to.be.a('string').and.not.equal('');
        expect(error?.request_id).to.match(ULID).and.equal(answer.headers.get('x-request-id'));
      });
    }

    it('has entries of field, code, message and params only', async () => {
      const { body } = await client.get('/assets?limit=500&is_active=x&q=%00&zzz=1');
      for (const entry of body?.error?.fields ?? []) {
        const { field, code, message, params, ...others } = entry;
        expect(others).to.deep.equal({});
        expect([typeof field, typeof code, typeof message]).to.deep.equal(['string', 'string', 'string']);
        expect(typeof params).to.be.oneOf(['object', 'undefined']);
      }
      expect(body?.error?.fields).to.have.length(4);
    });

    it('begins its detail with the first message and counts the others', async () => {
      for (const [query, detail] of [
        ['limit=500', 'limit must be <= 200'],
        ['limit=500&x=1', /^limit must be <= 200 \(and 1 more validation error\(s\)\)$/],
        ['limit=500&x=1&y=1', /^limit must be <= 200 \(and 2 more validation error\(s\)\)$/],
      ] as const) {
        const found = (await client.get(`/assets?${query}`)).body?.error?.detail;
        expect(found).to.match(typeof detail === 'string' ? new RegExp(`^${detail}$`) : detail);
      }
    });

    it('names the path without its query, as it was requested', async () => {
      for (const path of [
        '/assets/999?x=1',
        '/nothing%20here',
        '/assets/%41',
        '/reports/asset-locations?x=1&y',
      ]) {
        const { body } = await client.get(path);
        expect(body?.error?.instance).to.equal(`/api/v1${path.split('?')[0]}`);
      }
    });
  });

  describe('a failure of the service', () => {
    it('is a 500 with the envelope, which tells nothing of the database', async () => {
      const { pool } = client.api.database;
      await pool.query('alter table assets rename to misplaced');
      try {
        for (const answer of [await client.get('/assets'), await client.post('/assets', { name: 'x' })]) {
          const { error } = answer.body ?? {};
          expect(answer.status).to.equal(500);
          expect(Object.keys(error ?? {})).to.deep.equal(KEYS);
          expect(error).to.include({ type: 'internal_error', title: 'Internal server error', status: 500 });
          expect(error?.request_id).to.equal(answer.headers.get('x-request-id'));
          expect(error?.detail).not.to.match(/relation|assets|select|insert|postgres|42P01|\.ts/i);
        }
      } finally {
        await pool.query('alter table misplaced rename to assets');
      }
      expect((await client.get('/assets')).status).to.equal(200);
    });
  });

  describe('a request id', () => {
    const idOf = (answer: Answer) => answer.headers.get('x-request-id') ?? '';

    it('is on every answer, a ULID of its own', async () => {
      const { id } = await client.make('assets');
      const found = [
        await client.get('/assets'),
        await client.get(`/assets/${id}`),
        await client.post('/assets', { name: 'x' }),
        await client.api.call({ method: 'HEAD', path: '/api/v1/assets' }),
        await client.api.call({ method: 'OPTIONS', path: '/api/v1/assets' }),
        await client.get('/assets', { key: null }),
        await client.get('/nothing'),
        await client.api.call({ path: '/nowhere' }),
        await client.remove(`/assets/${id}`),
      ].map(idOf);
      for (const text of found) {
        expect(text).to.match(ULID);
      }
      expect(new Set(found).size).to.equal(found.length);
    });

    for (const own of [
      'x',
      'a'.repeat(2000),
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      '{"a": "b"} <script>; \u00e9',
      '../..',
      '0',
    ]) {
      it(`is the caller's own, unchanged, as in ${own.slice(0, 30)}`, async () => {
        const headers = { 'X-Request-ID': own };
        for (const path of ['/assets', '/nothing', '/assets/0']) {
          const answer = await client.get(path, { headers });
          expect(idOf(answer)).to.equal(own);
          expect(answer.body?.error?.request_id ?? own).to.equal(own);
        }
      });
    }
  });

  describe('a header', () => {
    it('Idempotency-Key has no effect', async () => {
      const headers = { 'Idempotency-Key': 'once' };
      const [first, second] = [
        await client.make('assets', {}, { headers }),
        await client.make('assets', {}, { headers }),
      ];
      expect(first.id).not.to.equal(second.id);
    });
  });
});
