import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Call, expectIssues, expectProblem, useApi } from '../support/api.ts';
import { untilReadiness } from '../support/readiness.ts';

const ASSETS = '/api/v1/assets';

describe('every request', () => {
  const api = useApi();
  const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    api.call({ method: 'POST', path: ASSETS, body, headers });

  describe('finds its route', () => {
    for (const path of [
      '/api/v1/nothing',
      '/api/v1/assets/',
      '/api/v1/Assets',
      '/api',
      '/api/v1/assets/1/tags/1/2',
    ]) {
      it(`is 404 at ${path}, without a credential`, async () => {
        const answer = await api.call({ path, key: null });
        expectProblem(answer, 'not_found', `Unknown API route: ${path}`);
        expect(answer.headers.get('www-authenticate')).to.equal(null);
      });
    }

    for (const [method, path, allow] of [
      ['PUT', ASSETS, 'GET, HEAD, POST'],
      ['OPTIONS', ASSETS, 'GET, HEAD, POST'],
      ['OPTIONS', '/api/v1/nothing', ''],
      ['POST', `${ASSETS}/1/history`, 'GET, HEAD'],
      ['GET', `${ASSETS}/1/tags`, 'POST'],
      ['HEAD', `${ASSETS}/1/tags`, 'POST'],
      ['GET', `${ASSETS}/x/tags/y`, 'DELETE'],
    ] as const) {
      it(`is 405 for ${method} ${path}, allowing ${allow === '' ? 'nothing' : allow}`, async () => {
        const answer = await api.call({ method, path, key: null });
        expect(answer.status).to.equal(405);
        expect(answer.headers.get('allow')).to.equal(allow);
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal(
          [],
        );
        if (method !== 'HEAD') {
          expect(answer.body?.error?.detail).to.equal(`Allowed methods: ${allow}`);
        }
      });
    }

    it('answers HEAD as GET, without a body', async () => {
      for (const path of [ASSETS, `${ASSETS}/1`, '/api/v1/nothing', `${ASSETS}?limit=0`]) {
        const [get, head] = [await api.call({ path }), await api.call({ method: 'HEAD', path })];
        expect(head.status).to.equal(get.status);
        for (const name of ['content-type', 'content-length']) {
          expect(head.headers.get(name)).to.equal(get.headers.get(name));
        }
      }
      expect((await api.call({ method: 'HEAD', path: ASSETS, key: null })).status).to.equal(401);
    });
  });

  describe('has an id', () => {
    it('that is a ULID, new each time', async () => {
      const ids = [await api.call({ path: ASSETS }), await api.call({ path: '/nowhere' })].map(
        ({ headers }) => headers.get('x-request-id'),
      );
      for (const id of ids) {
        expect(id).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/);
      }
      expect(new Set(ids).size).to.equal(2);
    });

    it("that is the caller's own, unchanged", async () => {
      const own = 'my id; "quoted" {} ~ caf\u00e9';
      const answer = await api.call({ path: '/nowhere', headers: { 'X-Request-ID': own } });
      expect(answer.headers.get('x-request-id')).to.equal(own);
      expect(answer.body?.error?.request_id).to.equal(own);
    });
  });

  describe('states its media type', () => {
    for (const type of [
      'application/json',
      'APPLICATION/JSON',
      'application/json;charset=utf-8',
      ' application/json ; Charset="UTF-8"',
    ]) {
      it(`may be "${type}"`, async () => {
        expect((await post('{"name":"a"}', { 'Content-Type': type })).status).to.equal(201);
      });
    }

    for (const type of [
      'text/plain',
      'application/merge-patch+json',
      'application/json; charset=latin1',
      'application/jsonx',
      'multipart/form-data; boundary=x',
      '',
    ]) {
      it(`is 415 if "${type}"`, async () => {
        const answer = await post('{"name":"a"}', { 'Content-Type': type });
        expectProblem(answer, 'unsupported_media_type', 'Content-Type must be application/json');
      });
    }

    it('is 415 if compressed', async () => {
      expectProblem(await post('{"name":"a"}', { 'Content-Encoding': 'gzip' }), 'unsupported_media_type');
    });
  });

  describe('is decoded exactly or not at all', () => {
    for (const [what, body] of [
      ['nothing', ''],
      ['truncated', '{"name":"a"'],
      ['trailing text', '{"name":"a"} x'],
      ['two values', '{"name":"a"}{}'],
      ['a byte order mark', '\ufeff{"name":"a"}'],
      ['a raw NUL', '{"name":"a\u0000"}'],
      ['a NUL after it', '{"name":"a"}\u0000'],
      ['a lone surrogate', '{"name":"\\ud800"}'],
      ['a lone surrogate in a key', '{"name":"a","metadata":{"\\udfff":1}}'],
      ['a trailing comma', '{"name":"a",}'],
      ['a bare word', 'name'],
      ['a number with a leading zero', '{"name":"a","metadata":{"n":01}}'],
    ] as const) {
      it(`refuses ${what}`, async () => {
        expectProblem(await post(body), 'bad_request', 'Request body is not valid JSON');
      });
    }

    it('refuses invalid UTF-8', async () => {
      const body = Buffer.from('{"name":"\xff"}', 'latin1');
      expectProblem(await post(body), 'bad_request', 'Request body is not valid JSON');
    });

    it('accepts surrogate pairs, escaped or not', async () => {
      const { body } = await post('{"name":"\\ud83d\\ude00😀"}');
      expect(body?.data.name).to.equal('😀😀');
    });

    it('takes the last of a repeated key', async () => {
      expect((await post('{"name":1,"name":"b"}')).body?.data.name).to.equal('b');
    });

    for (const body of ['null', '[]', '"text"', '5', 'true']) {
      it(`refuses ${body} at the top`, async () => {
        expectProblem(
          await post(body),
          'bad_request',
          'Request body could not be decoded as the expected type',
        );
      });
    }

    it('names the first field of a wrong type, in the order of the document', async () => {
      for (const [body, field] of [
        ['{"zz":1,"is_active":"no","name":5}', 'is_active'],
        ['{"name":5,"is_active":"no"}', 'name'],
        ['{"tags":{},"name":5}', 'tags'],
        ['{"tags":[{"tag_type":"rfid","value":"a"},{"value":7}],"name":5}', 'tags[1].value'],
        ['{"tags":[null]}', 'tags[0]'],
        ['{"description":["a"]}', 'description'],
        ['{"external_key":1}', 'external_key'],
      ] as const) {
        const detail = `Body field "${field}" could not be decoded as the expected type`;
        expectProblem(await post(body), 'bad_request', detail);
      }
    });

    it('accepts 64 levels of nesting and no more', async () => {
      const nested = (levels: number) =>
        `{"name":"a","metadata":{"x":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`;
      expect((await post(nested(64))).status).to.equal(201);
      expectProblem(await post(nested(65)), 'bad_request');
      expectProblem(await post('['.repeat(500_000)), 'bad_request');
      expect((await post(`{"name":"a","metadata":{"x":"${'['.repeat(100)}"}}`)).status).to.equal(201);
    });

    it('accepts 1 MiB and no more', async () => {
      const sized = (bytes: number) => {
        const frame = '{"name":"a","metadata":{"x":""}}';
        return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
      };
      expect((await post(sized(1_048_576))).status).to.equal(201);
      expectProblem(await post(sized(1_048_577)), 'payload_too_large');
      expectProblem(await post('x'.repeat(5_000_000)), 'payload_too_large');
    });

    it('counts the bytes of a body that does not say how long it is', async () => {
      const outgoing = request(`${api.url}${ASSETS}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${api.key}`, 'Content-Type': 'application/json' },
      });
      for (let sent = 0; sent < 20; sent++) {
        outgoing.write('x'.repeat(100_000));
      }
      const { promise, resolve } = Promise.withResolvers<import('node:http').IncomingMessage>();
      outgoing.on('response', resolve).end();
      const response = await promise;
      expect(response.statusCode).to.equal(413);
      expect(JSON.parse(await readText(response)).error.type).to.equal('payload_too_large');
    });
  });

  it('is checked in one order, each stage ending it', async () => {
    const readOnly = await api.keyWith(['assets:read']);
    const wrong = {
      method: 'POST',
      path: '/api/v1/assets/0/tags?x=1',
      body: '{',
      headers: { 'Content-Type': 'a/b' },
    };
    const stages: [Partial<Call>, string][] = [
      [{ path: '/api/v1/assets/0/tag?x=1', key: null }, 'not_found'],
      [{ method: 'PUT', key: null }, 'method_not_allowed'],
      [{ key: null }, 'unauthorized'],
      [{ key: readOnly }, 'forbidden'],
      [{}, 'unsupported_media_type'],
    ];
    for (const [change, type] of stages) {
      expectProblem(await api.call({ ...wrong, ...change }), type);
    }
    const typed = { ...wrong, headers: {} };
    expectIssues(await api.call(typed), [['x', 'unknown_field']]);
    expectIssues(await api.call({ ...typed, path: '/api/v1/assets/0/tags' }), [['asset_id', 'too_small']]);
    expectProblem(await api.call({ ...typed, path: '/api/v1/assets/2147483647/tags' }), 'not_found');
    const { body } = await api.call({ method: 'POST', path: ASSETS, json: { name: 'a' } });
    const path = `/api/v1/assets/${body?.data.id}/tags`;
    expectProblem(await api.call({ ...typed, path }), 'bad_request');
    expectIssues(await api.call({ ...typed, path, body: '{}' }), [
      ['tag_type', 'required'],
      ['value', 'required'],
    ]);
  });
});

describe('health', () => {
  const api = useApi();

  it('is served without a key, and counts requests by operation', async () => {
    await api.call({ path: '/api/v1/orgs/me' });
    const get = async (path: string) => {
      const response = await fetch(api.url + path);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/healthz')).to.deep.equal({ status: 200, text: '{"status":"alive"}' });
    await untilReadiness(api.url, { status: 200, checks: { database: 'ok', writing: 'ok', ids: 'ok' } });
    expect((await get('/metrics')).text).to.include(
      'tagtrail_http_requests_total{operation="getOwnOrganization",method="GET",status="200"} 1',
    );
  });
});
