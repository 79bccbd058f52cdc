import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createHttpApp } from '../../../platform/http/app.ts';
import { bearerOf } from '../../../platform/http/bearer.ts';
import type { Deprecation } from '../../../platform/http/route.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { answered } from '../../../platform/http/success.ts';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';
import { describeApi } from '../../../services/api/description/document.ts';

describe('an operation on its way out', () => {
  const routeTo = (path: string, deprecated?: Deprecation) =>
    routesOf<string>()({
      method: 'GET',
      path,
      operationId: path.slice(1),
      summary: path,
      scope: null,
      ...(deprecated === undefined ? {} : { deprecated }),
      success: answered({ type: 'object' }, 'Something'),
      handle: async () => ({ still: 'here' }),
    });
  const routes = [routeTo('/old', { since: '2026-03-01', sunset: '2026-09-01' }), routeTo('/new')];
  let listening: Listening;
  let now: number;
  let asked: number;

  before(async () => {
    const app = createHttpApp<string>({
      routes,
      access: {
        credentialOf: bearerOf,
        authenticate: async (token) => {
          asked++;
          return token;
        },
        authorize: () => {},
        callerOf: () => ({}),
      },
      log: pino({ level: 'silent' }),
      registry: new Registry(),
      now: () => now,
    });
    listening = await listenOn(app.callback(), { host: '127.0.0.1', port: 0, setting: 'API_PORT' });
  });
  beforeEach(() => {
    now = Date.parse('2026-08-31T23:59:59.999Z');
    asked = 0;
  });
  after(() => listening.close());

  const get = async (path: string, init: RequestInit = { headers: { Authorization: 'Bearer x' } }) => {
    const response = await fetch(listening.url + path, init);
    const { headers, status } = response;
    return {
      status,
      deprecation: [headers.get('deprecation'), headers.get('sunset')],
      text: await response.text(),
    };
  };
  const SAYS_SO = ['true', 'Tue, 01 Sep 2026 00:00:00 GMT'];

  it('says so on every answer, good or bad', async () => {
    expect(await get('/old')).to.include({ status: 200, text: '{"still":"here"}' });
    expect((await get('/old')).deprecation).to.deep.equal(SAYS_SO);
    const bad = await get('/old?colour=red');
    expect([bad.status, ...bad.deprecation]).to.deep.equal([400, ...SAYS_SO]);
    const unauthorized = await get('/old', {});
    expect([unauthorized.status, ...unauthorized.deprecation]).to.deep.equal([401, ...SAYS_SO]);
  });

  it('is gone from the date of its sunset on, with or without a key', async () => {
    now = Date.parse('2026-09-01T00:00:00.000Z');
    for (const init of [undefined, {}]) {
      const { status, deprecation, text } = await get('/old', init);
      expect([status, ...deprecation]).to.deep.equal([410, ...SAYS_SO]);
      expect(JSON.parse(text).error).to.include({
        type: 'gone',
        title: 'Gone',
        status: 410,
        instance: '/old',
      });
    }
    expect(asked).to.equal(0);
  });

  it('says so to HEAD too', async () => {
    const headers = { Authorization: 'Bearer x' };
    expect((await get('/old', { method: 'HEAD', headers })).deprecation).to.deep.equal(SAYS_SO);
    now = Date.parse('2026-09-01T00:00:00.000Z');
    expect((await get('/old', { method: 'HEAD', headers })).status).to.equal(410);
  });

  it('leaves its neighbours alone', async () => {
    now = Date.parse('2030-01-01T00:00:00.000Z');
    expect(await get('/new')).to.deep.include({ status: 200, deprecation: [null, null] });
  });

  it('is marked in the description', () => {
    const document = describeApi([{ name: 'Things', description: 'Things.', routes }], {
      publicUrl: null,
      limits: { perMinute: 60, burst: 120 },
    });
    const old = document.paths['/old']?.get;
    expect(old).to.include({ deprecated: true, 'x-sunset': '2026-09-01' });
    expect(old?.responses).to.have.property('410');
    for (const response of Object.values(old?.responses ?? {})) {
      expect(response).to.have.property('headers').that.includes.keys('Deprecation', 'Sunset');
    }
    expect(document.paths['/new']?.get).not.to.have.any.keys('deprecated', 'x-sunset');
    expect(document.paths['/new']?.get?.responses).not.to.have.property('410');
  });

  it('gives at least six months of notice', () => {
    expect(() => routeTo('/a', { since: '2026-03-01', sunset: '2026-08-31' })).to.throw(
      'less than six months',
    );
    expect(() => routeTo('/a', { since: '2026-03-01', sunset: 'soon' })).to.throw('soon is not a date');
    expect(() => routeTo('/a', { since: '2026-03-01', sunset: '2026-13-01' })).to.throw('is not a date');
  });
});
