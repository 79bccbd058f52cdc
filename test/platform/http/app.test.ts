import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { invalid, required, tooLong } from '../../../base/checks/issues.ts';
import { AppError, conflict } from '../../../base/errors.ts';
import { createHttpApp, type HttpAppOptions } from '../../../platform/http/app.ts';
import { bearerOf } from '../../../platform/http/bearer.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { answered } from '../../../platform/http/success.ts';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';

interface Context {
  token: string;
}

describe('an application of declared routes', () => {
  let listening: Listening;
  const started: Listening[] = [];
  const start = async (options: Partial<HttpAppOptions<Context>>) => {
    const app = createHttpApp<Context>({
      routes: [],
      access: {
        credentialOf: bearerOf,
        authenticate: async (token) => ({ token }),
        authorize: () => {},
        callerOf: () => ({}),
      },
      log: pino({ level: 'silent' }),
      registry: new Registry(),
      ...options,
    });
    listening = await listenOn(app.callback(), { host: '127.0.0.1', port: 0, setting: 'API_PORT' });
    started.push(listening);
  };
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(listening.url + path, { method, headers: { Authorization: 'Bearer x' } });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as { error: Record<string, unknown> },
    };
  };
  after(() => Promise.all(started.map((each) => each.close())));

  const route = routesOf<Context>();
  const answering = (path: string, handle: () => Promise<{ here: string }>, method: 'GET' | 'POST' = 'GET') =>
    route({
      method,
      path,
      operationId: `${method} ${path}`,
      summary: path,
      scope: null,
      params: path.includes('{id}') ? { id: idInPath } : {},
      success: answered({ type: 'object' }, 'where'),
      handle,
    });
  const at = (path: string, method: 'GET' | 'POST' = 'GET') =>
    answering(path, async () => ({ here: path }), method);

  it('prefers literal paths to templates, for all methods and in whatever order they are declared', async () => {
    for (const routes of [
      [at('/things/{id}'), at('/things/bulk', 'POST')],
      [at('/things/bulk', 'POST'), at('/things/{id}')],
    ]) {
      await start({ routes });
      expect((await get('/things/1')).body).to.deep.equal({ here: '/things/{id}' });
      expect((await get('/things/bulk', 'POST')).body).to.deep.equal({ here: '/things/bulk' });
      const { status, headers } = await get('/things/bulk');
      expect([status, headers.get('allow')]).to.deep.equal([405, 'POST']);
    }
  });

  it("tells a handler the id that the answer has, be it the caller's own or a new one", async () => {
    const echo = route({
      method: 'GET',
      path: '/id',
      operationId: 'echo',
      summary: 'echo',
      scope: null,
      success: answered({ type: 'object' }, 'which'),
      handle: async ({ requestId }) => ({ requestId }),
    });
    await start({ routes: [echo] });
    for (const own of [{ 'X-Request-ID': 'mine-1' }, {}]) {
      const answer = await fetch(`${listening.url}/id`, { headers: { Authorization: 'Bearer x', ...own } });
      const requestId = answer.headers.get('X-Request-ID');
      expect(requestId).to.match('X-Request-ID' in own ? /^mine-1$/ : /^[0-9A-Z]{26}$/);
      expect(await answer.json()).to.deep.equal({ requestId });
    }
  });

  it('tells the caller of known errors by their kind, and of its own failures nothing', async () => {
    const failing = (path: string, error: unknown) => answering(path, () => Promise.reject(error));
    await start({
      routes: [
        failing('/missing', new AppError('not_found', 'No such thing')),
        failing('/input', new AppError('invalid_input', 'Cannot be')),
        failing('/taken', conflict('Is there')),
        failing('/wrong', invalid([required('name'), tooLong('note', 3)], 1)),
        failing('/down', new AppError('unavailable', 'secret database host')),
        failing('/bug', new Error('secret')),
        failing('/thrown', 'secret'),
      ],
    });
    expect((await get('/missing')).body.error).to.include({
      type: 'not_found',
      detail: 'No such thing',
      status: 404,
    });
    expect((await get('/input')).body.error).to.include({ type: 'bad_request', detail: 'Cannot be' });
    expect((await get('/taken')).body.error).to.include({
      type: 'conflict',
      detail: 'Is there',
      status: 409,
    });
    expect((await get('/wrong')).body.error).to.deep.include({
      type: 'validation_error',
      status: 400,
      detail: 'name is required (and 2 more validation error(s))',
      fields: [required('name'), tooLong('note', 3)],
    });
    for (const path of ['/down', '/bug', '/thrown']) {
      const { status, body } = await get(path);
      expect(status).to.equal(500);
      expect(body.error['type']).to.equal('internal_error');
      expect(JSON.stringify(body)).not.to.include('secret');
    }
  });

  it('lets a limiter show its budget everywhere, and stop a caller between 401 and 403', async () => {
    const stages: string[] = [];
    await start({
      routes: [at('/here')],
      limiter: {
        idle: () => ({ 'X-RateLimit-Remaining': '60' }),
        take: async () => {
          stages.push('take');
          throw new Problem('rate_limited', 'Retry after 1 seconds', {
            headers: { 'X-RateLimit-Remaining': '0' },
          });
        },
        takeMore: async () => ({}),
      },
      access: {
        credentialOf: bearerOf,
        authenticate: async (token) => {
          stages.push('authenticate');
          return { token };
        },
        authorize: () => {
          stages.push('authorize');
        },
        callerOf: () => ({}),
      },
    });
    const limited = await get('/here');
    expect([limited.status, limited.headers.get('x-ratelimit-remaining')]).to.deep.equal([429, '0']);
    expect(stages).to.deep.equal(['authenticate', 'take']);
    const missing = await get('/nowhere');
    expect([missing.status, missing.headers.get('x-ratelimit-remaining')]).to.deep.equal([404, '60']);
  });
});
