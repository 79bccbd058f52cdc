import { expect } from 'chai';
import { Registry } from 'prom-client';
import { notFound } from '../../../base/errors.ts';
import { createHttpApp } from '../../../platform/http/app.ts';
import { bearerOf, unauthorized } from '../../../platform/http/bearer.ts';
import { servePages } from '../../../platform/http/pages.ts';
import type { LoggedRequests } from '../../../platform/http/request-log.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { answered } from '../../../platform/http/success.ts';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const INFO = 30;
const WARN = 40;
const ERROR = 50;

describe('the log of requests', () => {
  const started: Listening[] = [];
  after(() => Promise.all(started.map((each) => each.close())));

  const route = routesOf<string>();
  const routeTo = (path: string, handle: (request: { signal(): AbortSignal }) => Promise<object>) =>
    route({
      method: 'GET',
      path,
      operationId: `get${path.slice(1)}`,
      summary: path,
      scope: null,
      success: answered({ type: 'object' }, 'what'),
      handle,
    });
  /** Somebody waits for an answer. */
  const waiting = Promise.withResolvers<void>();
  const routes = [
    routeTo('/thing', async () => ({})),
    routeTo('/missing', () => Promise.reject(notFound('Thing not found'))),
    routeTo('/broken', () => Promise.reject(new Error('a bug'))),
    routeTo('/waiting', ({ signal }) => {
      waiting.resolve();
      return new Promise((_, reject) =>
        signal().addEventListener('abort', ({ target }) => reject((target as AbortSignal).reason)),
      );
    }),
  ];
  const access = {
    credentialOf: bearerOf,
    authenticate: async (token: string) => {
      if (token === 'old') {
        throw unauthorized('API key has expired', { orgId: 7, apiKeyId: 'OLD' });
      }
      return token;
    },
    authorize: () => {},
    callerOf: (apiKeyId: string) => ({ orgId: 7, apiKeyId }),
  };
  async function start(logRequests: LoggedRequests) {
    const { log, lines } = recordedLog();
    const registry = new Registry();
    const health = servePages(async (path) =>
      path === '/healthz' ? { status: 200, contentType: 'text/plain', body: '' } : null,
    );
    const app = createHttpApp({
      routes,
      access,
      log,
      logRequests,
      registry,
      pages: [health],
    });
    const listening = await listenOn(app.callback(), { host: '127.0.0.1', port: 0, setting: 'API_PORT' });
    started.push(listening);
    const get = async (path: string, token = 'good') => {
      const headers = { Authorization: `Bearer ${token}`, 'X-Request-ID': `of ${path.split('?', 1)[0]}` };
      await (await fetch(listening.url + path, { headers })).arrayBuffer();
    };
    return { get, lines, registry, url: listening.url };
  }

  it('names what failed with its request, caller, operation, status and duration', async () => {
    const { get, lines } = await start('failed');
    for (const [path, token] of [
      ['/thing'],
      ['/healthz'],
      ['/missing'],
      ['/broken'],
      ['/thing', 'old'],
      ['/nowhere'],
    ] as const) {
      await get(path, token);
    }
    expect(lines).to.have.lengthOf(4);
    const [missing, broken, expired, nowhere] = lines;
    expect(missing).to.include({
      level: WARN,
      requestId: 'of /missing',
      orgId: 7,
      apiKeyId: 'good',
      operation: 'getmissing',
      method: 'GET',
      path: '/missing',
      status: 404,
      error: 'not_found',
      detail: 'Thing not found',
      msg: 'Request failed',
    });
    expect(missing?.['milliseconds']).to.be.a('number').within(0, 5_000);
    expect(broken).to.include({ level: ERROR, requestId: 'of /broken', apiKeyId: 'good', status: 500 });
    expect(broken?.['err']).to.include({ message: 'a bug' });
    expect(expired).to.include({ level: WARN, status: 401, orgId: 7, apiKeyId: 'OLD' });
    expect(nowhere).to.include({ level: WARN, status: 404, remoteAddress: '127.0.0.1' });
    expect(nowhere).not.to.have.any.keys('operation', 'orgId');
  });

  it('takes nobody for failed who hung up', async () => {
    const { lines, registry, url } = await start('failed');
    const hangingUp = new AbortController();
    const asked = fetch(`${url}/waiting`, {
      headers: { Authorization: 'Bearer good' },
      signal: hangingUp.signal,
    });
    await waiting.promise;
    hangingUp.abort();
    await asked.catch(() => {});
    while (!(await registry.metrics()).includes('operation="getwaiting",method="GET",status="499"} 1')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(lines).to.deep.equal([]);
  });

  it('does not repeat what was asked for in a query', async () => {
    const { get, lines } = await start('failed');
    await get('/thing?name=private');
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include({ status: 400, path: '/thing', detail: 'unknown parameter: name' });
    expect(JSON.stringify(lines)).not.to.include('private');
  });

  it('is not filled by a caller in a loop', async () => {
    const { get, lines } = await start('failed');
    for (let request = 0; request < 100; request++) {
      await get('/missing', 'loop');
    }
    expect(lines).to.have.lengthOf(60);
    await get('/missing', 'other');
    expect(lines).to.have.lengthOf(61);
  });

  it('has every request where that is wanted', async () => {
    const { get, lines } = await start('all');
    for (let request = 0; request < 100; request++) {
      await get('/missing');
    }
    await get('/thing');
    await get('/healthz');
    expect(lines).to.have.lengthOf(102);
    expect(lines.at(-2)).to.include({ level: INFO, operation: 'getthing', apiKeyId: 'good', status: 200 });
    expect(lines.at(-1)).to.include({ level: 20, path: '/healthz' });
  });
});
