import { expect } from 'chai';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const PATHS: Record<string, string> = {
  '/assets': 'GET, HEAD, POST',
  '/assets/1': 'GET, HEAD, PATCH, DELETE',
  '/assets/1/rename': 'POST',
  '/assets/1/tags': 'POST',
  '/assets/1/tags/1': 'DELETE',
  '/assets/1/history': 'GET, HEAD',
  '/locations': 'GET, HEAD, POST',
  '/locations/1': 'GET, HEAD, PATCH, DELETE',
  '/locations/1/rename': 'POST',
  '/locations/1/tags': 'POST',
  '/locations/1/tags/1': 'DELETE',
  '/locations/1/ancestors': 'GET, HEAD',
  '/locations/1/children': 'GET, HEAD',
  '/locations/1/descendants': 'GET, HEAD',
  '/reports/asset-locations': 'GET, HEAD',
  '/orgs/me': 'GET, HEAD',
};
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const READ = Object.keys(PATHS).filter((path) => PATHS[path]?.includes('GET'));
const POSTED = Object.keys(PATHS).filter((path) => PATHS[path]?.includes('POST'));
const PATCHED = ['/assets/1', '/locations/1'];
const POST_DETAIL = 'Content-Type must be application/json';
const PATCH_DETAIL = 'Content-Type must be application/merge-patch+json on PATCH operations';

describe('HTTP', () => {
  const client = useClient();

  describe('methods', () => {
    before(async () => {
      await client.make('assets');
      await client.make('locations');
    });

    for (const [path, allow] of Object.entries(PATHS)) {
      it(`at ${path} are ${allow}; all others are 405`, async () => {
        const allowed = allow.split(', ');
        for (const method of METHODS.filter((name) => !allowed.includes(name))) {
          for (const key of [null, client.api.key]) {
            const answer = await client.api.call({ method, path: `/api/v1${path}`, key });
            expect(answer.status, method).to.equal(405);
            expect(answer.headers.get('allow')).to.equal(allow);
            expect(answer.headers.get('www-authenticate')).to.equal(null);
            if (method !== 'HEAD') {
              expectError(answer, 405, 'method_not_allowed', `Allowed methods: ${allow}`);
            }
          }
        }
        for (const method of allowed) {
          const answer = await client.api.call({ method, path: `/api/v1${path}`, key: null });
          expect(answer.status, method).to.equal(401);
        }
      });

      it(`do not open ${path} to browsers, not even for a preflight`, async () => {
        const headers = {
          Origin: 'https://example.com',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'authorization',
        };
        for (const method of ['OPTIONS', 'GET', 'POST']) {
          const answer = await client.api.call({ method, path: `/api/v1${path}`, headers });
          const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
          expect(names).to.deep.equal([]);
          expect(answer.status === 405).to.equal(!allow.includes(method));
        }
      });
    }

    it('that are unknown at an unknown path find nothing, and OPTIONS is 405 even there', async () => {
      const options = await client.api.call({ method: 'OPTIONS', path: '/api/v1/nothing', key: null });
      expect(options.status).to.equal(405);
      expect(options.headers.get('allow')).to.equal('');
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await client.api.call({ method, path: '/api/v1/nothing', key: null });
        expectError(answer, 404, 'not_found', 'Unknown API route: /api/v1/nothing');
      }
    });

    for (const path of [...READ, '/assets/2147483647', '/assets/0', '/assets?limit=0', '/nothing']) {
      it(`answer HEAD ${path} with the status and headers of GET`, async () => {
        const noScopes = await client.api.keyWith([]);
        for (const key of [client.api.key, noScopes, null, 'tt_wrong']) {
          const call = { path: `/api/v1${path}`, key };
          const [get, head] = [
            await client.api.call(call),
            await client.api.call({ ...call, method: 'HEAD' }),
          ];
          expect(head.status).to.equal(get.status);
          expect(head.text).to.equal('');
          expect(comparable(head.headers)).to.deep.equal(comparable(get.headers));
        }
      });
    }
  });

  /** What differs between any two requests is left out; lengths are those of an id of always the same length. */
  function comparable(headers: Headers): [string, string][] {
    const own = /^(date|x-request-id|x-ratelimit-(remaining|reset)|connection|keep-alive|transfer-encoding)$/;
    return [...headers].filter(([name]) => !own.test(name));
  }

  describe('media types', () => {
    before(async () => {
      await client.make('assets');
      await client.make('locations');
    });
    const send = (method: string, path: string, type: string | null) =>
      fetch(`${client.api.url}/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${client.api.key}`,
          ...(type !== null && { 'Content-Type': type }),
        },
        body: new TextEncoder().encode('{}'),
      });
    const expectType = async (response: Response, status: number, detail: string) => {
      const { error } = (await response.json()) as { error: { type: string; detail: string } };
      expect(response.status).to.equal(status);
      expect([error.type, error.detail]).to.deep.equal(['unsupported_media_type', detail]);
    };

    const common = [
      null,
      '',
      'text/plain',
      'text/json',
      'application/json-patch+json',
      'application/problem+json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/*',
      '*/*',
      'json',
    ];

    for (const path of POSTED) {
      it(`for POST ${path} are application/json only`, async () => {
        for (const type of [
          ...common,
          'application/merge-patch+json',
          'application/json; charset=utf-16',
          'application/json; CHARSET=latin1',
        ]) {
          await expectType(await send('POST', path, type), 415, POST_DETAIL);
        }
      });
    }

    for (const path of PATCHED) {
      it(`for PATCH ${path} are merge patches only`, async () => {
        for (const type of [...common, 'application/json', 'application/merge-patch+json;charset=latin1']) {
          await expectType(await send('PATCH', path, type), 415, PATCH_DETAIL);
        }
        for (const type of ['', ';charset=utf-8', '; charset=UTF-8', ' ; charset="utf-8"']) {
          expect((await send('PATCH', path, `application/merge-patch+json${type}`)).status).to.equal(200);
        }
        expect((await send('PATCH', path, 'Application/Merge-Patch+JSON')).status).to.equal(200);
      });
    }

    it('for POST are read without regard to case and blanks, with charset utf-8', async () => {
      for (const type of ['', ';charset=utf-8', '; charset= UTF-8', ' ;\tCharset="Utf-8"']) {
        expect((await send('POST', '/assets', `application/JSON${type}`)).status).to.equal(400);
      }
    });

    it('of POST are required even without a body', async () => {
      const answer = await client.api.call({ method: 'POST', path: '/api/v1/assets' });
      expectError(answer, 415, 'unsupported_media_type', POST_DETAIL);
    });

    it('do not matter for GET and DELETE', async () => {
      const { id } = await client.make('assets');
      const headers = { 'Content-Type': 'text/plain' };
      expect((await client.get('/assets', { headers })).status).to.equal(200);
      expect((await client.remove(`/assets/${id}`, { headers })).status).to.equal(204);
    });

    it('of answers are application/json, of failures too', async () => {
      const answers = [
        await client.get('/assets'),
        await client.get('/assets/0'),
        await client.get('/nothing'),
      ];
      for (const { headers } of answers) {
        expect(headers.get('content-type')).to.match(/^application\/json(; ?charset=utf-8)?$/i);
      }
    });
  });

  describe('unknown query parameters', () => {
    for (const [path, allow] of Object.entries(PATHS)) {
      it(`are refused at ${path}, one entry each, by every method`, async () => {
        for (const method of allow.split(', ').filter((name) => name !== 'HEAD')) {
          const hasBody = method === 'POST' || method === 'PATCH';
          const answer = await client.api.call({
            method,
            path: `/api/v1${path}?zeta=1&Limit=2&zeta=3&__proto__=4&alpha`,
            ...(hasBody && { json: {} }),
          });
          expectFields(
            answer,
            ['Limit', '__proto__', 'alpha', 'zeta'].map((field) => ({
              field,
              code: 'unknown_field',
              message: `unknown parameter: ${field}`,
            })),
          );
        }
      });
    }
  });

  it('has no second question mark in a query', async () => {
    for (const field of ['?limit', '??q']) {
      expectFields(await client.get(`/assets?${field}=1`), [
        { field, code: 'unknown_field', message: `unknown parameter: ${field}` },
      ]);
    }
  });

  describe('creates', () => {
    it('say where what they created is', async () => {
      for (const resource of ['assets', 'locations'] as const) {
        const { status, headers, body } = await client.post(`/${resource}`, { name: 'Any' });
        expect(status).to.equal(201);
        expect(headers.get('location')).to.equal(`/api/v1/${resource}/${body?.data.id}`);
        expect(Object.keys(body ?? {})).to.deep.equal(['data']);
        expect((await client.api.call({ path: headers.get('location') ?? '' })).body).to.deep.equal(body);
      }
    });
  });
});
