import { expect } from 'chai';
import { SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { API_ROUTES } from '../../services/api/routes.ts';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';
import { requiredQuery } from '../support/required-query.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const PATHS = [...Map.groupBy(API_ROUTES, ({ path }) => path)];
const PAGES = ['/healthz', '/readyz', '/metrics'];

/** A path of the template, to rows that are not there. */
function pathOf(template: string): string {
  return template.replace('{key_id}', '0'.repeat(26)).replaceAll(/\{\w+\}/g, '2147483647');
}

describe('every declared route', () => {
  const api = useApi();
  let almighty: string;
  let expired: string;
  let revoked: string;
  let orphaned: string;
  before(async () => {
    almighty = await api.keyWith(SCOPES);
    expired = await api.keyWith(SCOPES, { expiresAt: '2020-01-01T00:00:00Z' });
    revoked = await api.keyWith(SCOPES);
    await api.database.rows('update api_keys set revoked_at = now() where id = $1', [revoked.split('_')[1]]);
    const { orgId } = await api.organization('Gone');
    orphaned = await api.keyWith(SCOPES, { orgId });
    await api.database.rows('update organizations set deleted_at = now() where id = $1', [orgId]);
  });

  for (const route of API_ROUTES) {
    const path = `${pathOf(route.path)}?${requiredQuery(route.query)}`;
    const call = (key: string | null, headers: Record<string, string> = {}) =>
      api.call({ method: route.method, path, key, headers });

    it(`${route.operationId} refuses every credential that is none, in the words of the interface`, async () => {
      const bearer = (credential: string) => ({ Authorization: credential });
      for (const [headers, detail] of [
        [{}, 'Missing authorization header'],
        [{ 'X-API-Key': almighty }, 'Use Authorization: Bearer <token>'],
        [bearer(''), 'Invalid authorization header format'],
        [bearer('Bearer'), 'Invalid authorization header format'],
        [bearer('Bearer '), 'Invalid authorization header format'],
        [bearer(`Basic ${almighty}`), 'Invalid authorization header format'],
        [bearer(almighty), 'Invalid authorization header format'],
        [{ ...bearer('Basic x'), 'X-API-Key': almighty }, 'Invalid authorization header format'],
        [bearer('Bearer x'), 'Invalid or expired token'],
        [bearer(`Bearer ${almighty}x`), 'Invalid or expired token'],
        [bearer(`Bearer ${almighty.toLowerCase()}`), 'Invalid or expired token'],
        [bearer(`bearer ${revoked}`), 'API key has been revoked'],
        [bearer(`BEARER ${expired}`), 'API key has expired'],
      ] as const) {
        const answer = await call(null, headers);
        expectProblem(answer, 'unauthorized', detail);
        expect(answer.status).to.equal(401);
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="tagtrail"');
      }
    });

    it(`${route.operationId} needs its scope and no other`, async () => {
      const others = SCOPES.filter((scope) => scope !== route.scope);
      const answer = await call(await api.keyWith(others));
      if (route.scope === null) {
        expect(answer.status).to.equal(200);
      } else {
        expectProblem(answer, 'forbidden', `Missing required scope: ${route.scope}`);
        expect(answer.status).to.equal(403);
        expect((await call(await api.keyWith([route.scope]))).status).not.to.equal(403);
      }
    });

    it(`${route.operationId} is nothing to a key whose organization was deleted`, async () => {
      const answer = await call(orphaned);
      const [type, status] = route.scope === null ? ['missing_org_context', 422] : ['forbidden', 403];
      expectProblem(answer, String(type));
      expect(answer.status).to.equal(status);
    });

    it(`${route.operationId} refuses unknown parameters, each by its name`, async () => {
      const headers: Record<string, string> = route.body === null ? {} : { 'Content-Type': route.body.type };
      const answer = await api.call({
        method: route.method,
        path: `${path}zz=1&limit%20=2&zz=3&__proto__=4`,
        key: almighty,
        headers,
      });
      expectIssues(answer, [
        ['__proto__', 'unknown_field'],
        ['limit ', 'unknown_field'],
        ['zz', 'unknown_field'],
      ]);
    });

    if (route.method === 'GET') {
      it(`${route.operationId} answers HEAD as GET, without a body, whatever the answer`, async () => {
        for (const [key, target] of [
          [almighty, path],
          [almighty, `${path}zz=1`],
          [await api.keyWith([]), path],
          [null, path],
          [orphaned, path],
        ] as const) {
          const get = await api.call({ path: target, key });
          const head = await api.call({ method: 'HEAD', path: target, key });
          expect(head.status).to.equal(get.status);
          expect(shared(head.headers)).to.deep.equal(shared(get.headers));
        }
      });
    }
  }

  for (const [template, routes] of PATHS) {
    const path = pathOf(template);
    const allowed = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'].filter((method) =>
      routes.some((route) => route.method === (method === 'HEAD' ? 'GET' : method)),
    );

    it(`at ${template} allows ${allowed.join(', ')} and nothing else, without a credential`, async () => {
      for (const method of METHODS.filter((each) => !allowed.includes(each))) {
        const answer = await api.call({ method, path: `${path}?zz=1`, key: null });
        expect(answer.status).to.equal(405);
        expect(answer.headers.get('allow')).to.equal(allowed.join(', '));
        expect(answer.headers.get('www-authenticate')).to.equal(null);
        expect([...answer.headers.keys()].join()).not.to.include('access-control');
        if (method !== 'HEAD') {
          expectProblem(answer, 'method_not_allowed', `Allowed methods: ${allowed.join(', ')}`);
        }
      }
    });

    it(`at ${template} is another path than with a slash at the end`, async () => {
      for (const method of METHODS.filter((each) => each !== 'OPTIONS')) {
        const answer = await api.call({ method, path: `${path}/`, key: null });
        expect(answer.status).to.equal(404);
        expect(answer.headers.get('www-authenticate')).to.equal(null);
        if (method !== 'HEAD') {
          expectProblem(answer, 'not_found', `Unknown API route: ${path}/`);
        }
      }
      const options = await api.call({ method: 'OPTIONS', path: `${path}/`, key: null });
      expect([options.status, options.headers.get('allow')]).to.deep.equal([405, '']);
    });
  }

  for (const path of PAGES) {
    it(`is not needed for ${path}, which allows GET and HEAD`, async () => {
      const get = await fetch(api.url + path);
      const length = (await get.arrayBuffer()).byteLength;
      expect(get.status).to.equal(200);
      const head = await api.call({ method: 'HEAD', path, key: null });
      expect([head.status, head.headers.get('content-type')]).to.deep.equal([
        200,
        get.headers.get('content-type'),
      ]);
      expect(length).to.be.above(0);
      for (const method of ['OPTIONS', 'POST', 'DELETE']) {
        const answer = await api.call({ method, path, key: null });
        expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
      }
    });
  }
});

/** The headers that do not differ between two answers to the same question; each costs a token of the budget. */
function shared(headers: Headers): Record<string, string> {
  const budget = ['x-ratelimit-remaining', 'x-ratelimit-reset'];
  const own = ['date', 'x-request-id', 'connection', 'keep-alive', ...budget];
  return Object.fromEntries([...headers].filter(([name]) => !own.includes(name)));
}
