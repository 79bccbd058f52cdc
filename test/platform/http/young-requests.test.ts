import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createHttpApp } from '../../../platform/http/app.ts';
import { bearerOf } from '../../../platform/http/bearer.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { answered } from '../../../platform/http/success.ts';
import { type Listening, listenOn } from '../../../platform/runtime/listen-on.ts';

describe('what a route is given of a request', () => {
  const given: Record<string, object> = {};
  let listening: Listening;

  before(async () => {
    const route = routesOf<string>()({
      method: 'GET',
      path: '/thing',
      operationId: 'thing',
      summary: 'A thing',
      scope: null,
      success: answered({ type: 'object' }, 'Something'),
      handle: async (handled) => {
        Object.assign(given, { handled });
        return { a: 'thing' };
      },
    });
    const app = createHttpApp<string>({
      routes: [
        {
          ...route,
          answer: (exchange, context) => {
            Object.assign(given, { exchange });
            return route.answer(exchange, context);
          },
        },
      ],
      access: {
        credentialOf: bearerOf,
        authenticate: async (token) => token,
        authorize: () => {},
        callerOf: () => ({}),
      },
      log: pino({ level: 'silent' }),
      registry: new Registry(),
    });
    listening = await listenOn(app.callback(), { host: '127.0.0.1', port: 0, setting: 'API_PORT' });
  });
  after(() => listening.close());

  it('has no accessors of its own, which are old objects and would keep the request as one', async () => {
    await fetch(`${listening.url}/thing`, { headers: { Authorization: 'Bearer x' } });
    expect(Object.keys(given)).to.deep.equal(['exchange', 'handled']);
    expect(Object.values(given).flatMap(accessorsOf)).to.deep.equal([]);
  });
});

function accessorsOf(object: object): string[] {
  const described = Object.entries(Object.getOwnPropertyDescriptors(object));
  return described.filter(([, { get, set }]) => get !== undefined || set !== undefined).map(([name]) => name);
}
