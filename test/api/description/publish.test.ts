import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { parse } from 'yaml';
import { DOCS_PATH, JSON_PATH, YAML_PATH } from '../../../services/api/description/publish.ts';
import { useApi } from '../../support/api.ts';

describe('the pages of the description', () => {
  const api = useApi();
  const get = (path: string, init: RequestInit = {}) =>
    fetch(api.url + path, { redirect: 'manual', ...init });
  /** By `node:http`: `fetch` asks for a fresh copy when it is given a condition. */
  const conditional = async (path: string, tag: string): Promise<[number | undefined, string]> => {
    const request = http.get(api.url + path, { headers: { 'If-None-Match': tag } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return [response.statusCode, await text(response)];
  };
  const budgetOf = ({ headers }: Response) => headers.get('x-ratelimit-remaining');

  it('are the same document, as JSON and as YAML, for everyone', async () => {
    const json = await get(JSON_PATH);
    const yaml = await get(YAML_PATH);
    expect([json.status, json.headers.get('content-type')]).to.deep.equal([200, 'application/json']);
    expect([yaml.status, yaml.headers.get('content-type')]).to.deep.equal([200, 'application/yaml']);
    const document = await json.json();
    expect(document).to.include({ openapi: '3.1.1' });
    expect(parse(await yaml.text())).to.deep.equal(document);
  });

  it('are the same document to readers of YAML 1.1, which know dates and say yes and no', async () => {
    const yaml = await (await get(YAML_PATH)).text();
    const read = parse(yaml, { version: '1.1' });
    expect(read).to.deep.equal(await (await get(JSON_PATH)).json());
    expect(yaml).to.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  });

  it('are where people arrive who only have the address', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await get('/', { method });
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, DOCS_PATH]);
      expect(await answer.text()).to.equal('');
    }
    const page = await fetch(`${api.url}/`);
    expect(page.url).to.equal(api.url + DOCS_PATH);
    expect(await page.text()).to.include('<title>tagtrail API</title>');
  });

  for (const [from, to] of [
    ['/api/docs/', DOCS_PATH],
    ['/api/v1/openapi.json', JSON_PATH],
    ['/api/v1/openapi.yaml', YAML_PATH],
    ['/openapi.json', JSON_PATH],
    ['/openapi.yaml', YAML_PATH],
  ] as const) {
    it(`has moved from ${from} for good`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(from, { method });
        expect([answer.status, answer.headers.get('location')]).to.deep.equal([301, to]);
        expect(answer.headers.get('x-request-id')).to.be.a('string');
        expect([answer.headers.get('content-type'), await answer.text()]).to.deep.equal([null, '']);
      }
    });
  }

  for (const [path, caching] of [
    [JSON_PATH, 'public, max-age=300'],
    [YAML_PATH, 'public, max-age=300'],
    [DOCS_PATH, 'no-cache'],
  ] as const) {
    it(`tells a caller who has ${path} that it is the same still`, async () => {
      const first = await get(path, { headers: { 'Accept-Encoding': 'identity' } });
      const body = await first.text();
      const tag = first.headers.get('etag') ?? '';
      expect(tag).to.match(/^"[\w-]{43}"$/);
      expect(first.headers.get('cache-control')).to.equal(caching);
      expect(await conditional(path, tag)).to.deep.equal([304, '']);
      expect(await conditional(path, '"other"')).to.deep.equal([200, body]);
    });

    it(`answers HEAD of ${path} as GET, without a body`, async () => {
      const [first, head] = [await get(path), await get(path, { method: 'HEAD' })];
      expect(head.status).to.equal(200);
      expect(await head.text()).to.equal('');
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
        expect(head.headers.get(name), name).to.equal(first.headers.get(name)).and.to.be.a('string');
      }
      await first.body?.cancel();
    });
  }

  for (const path of [JSON_PATH, DOCS_PATH, '/api/v1/openapi.yaml', '/openapi.json']) {
    it(`allows nothing but GET and HEAD on ${path}`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await get(path, { method });
        const { error } = (await response.json()) as { error: Record<string, unknown> };
        expect([response.status, response.headers.get('allow')], method).to.deep.equal([405, 'GET, HEAD']);
        expect(error).to.include({ type: 'method_not_allowed', detail: 'Allowed methods: GET, HEAD' });
        expect(error['request_id']).to.equal(response.headers.get('x-request-id'));
        expect(
          [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
        ).to.deep.equal([]);
      }
    });
  }

  it('cost nothing: they show the full budget, and leave the rest alone', async () => {
    const before = await api.call({ path: '/api/v1/orgs/me' });
    const left = Number(before.headers.get('x-ratelimit-remaining'));
    const headers = { Authorization: `Bearer ${api.key}` };
    for (const path of [JSON_PATH, YAML_PATH, DOCS_PATH, '/api/v1/openapi.json', '/api/v1/openapi.yaml']) {
      const response = await get(path, { headers });
      expect(budgetOf(response), path).to.equal(response.headers.get('x-ratelimit-limit'));
      await response.body?.cancel();
    }
    const after = await api.call({ path: '/api/v1/orgs/me' });
    expect(Number(after.headers.get('x-ratelimit-remaining'))).to.be.at.least(left - 1);
  });

  it('echo the id of a request', async () => {
    for (const path of [JSON_PATH, DOCS_PATH, '/openapi.yaml']) {
      const response = await get(path, { headers: { 'X-Request-ID': 'mine-é' } });
      expect(response.headers.get('x-request-id')).to.equal('mine-é');
      await response.body?.cancel();
    }
  });

  it('are taken literally', async () => {
    expect((await api.call({ path: '/api/openapi.json/', key: null })).status).to.equal(404);
    expect((await api.call({ path: '/api/OpenAPI.json', key: null })).status).to.equal(404);
  });
});
