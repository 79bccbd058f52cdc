import { expect } from 'chai';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { API_ROUTES } from '../../services/api/routes.ts';
import { MEMBER_ROUTES, VISITOR_ROUTES } from '../../services/console/routes.ts';
import { useConsole } from '../support/console.ts';
import { longestHold, Yardstick } from '../support/held-loop.ts';
import { type Ids, makeNamedRows } from '../support/named-rows.ts';
import { sendRaw } from '../support/raw-request.ts';
import { requiredQuery } from '../support/required-query.ts';
import { BODY_BYTES, worstBodies } from '../support/worst-bodies.ts';

/** Parsing it takes 40 ms on a machine on which nobody may be held up for more than 100. */
const YARDSTICK = new Yardstick(
  `{${Array.from({ length: 110_000 }, (_, at) => `"${at.toString(36)}":1`).join(',')}}`,
);

/** The API's own routes are looked at there, and files as they are read elsewhere. */
const OF_API = new Set(API_ROUTES.map(({ operationId }) => operationId));

describe('the event loop of the console', () => {
  const suite = useConsole();
  let ids: Ids;
  let token: string;

  before(async () => {
    const own = await makeNamedRows(suite.database, suite.people, 'OWN');
    token = await suite.as('admin', own.orgId);
    const source = JSON.stringify({ ...loadBuiltinFormats().get('tagtrail')?.definition, name: 'own' });
    const made = await suite.call({ method: 'POST', path: '/formats', token, json: { source } });
    expect(made.status, made.text).to.equal(200);
    ids = { ...own.ids, name: 'own' };
  });

  for (const route of [...VISITOR_ROUTES, ...MEMBER_ROUTES].filter(
    ({ body, operationId }) => body !== null && 'check' in body && !OF_API.has(operationId),
  )) {
    it(`is held by ${route.operationId} for less time than parsing takes, whatever the body`, async () => {
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''));
      const url = `${suite.url}${path}?${requiredQuery(route.query)}`;
      const headers = {
        Cookie: `tagtrail_session=${token}`,
        ...{ Origin: suite.url, 'X-Tagtrail-Console': '1', 'Content-Type': route.body?.type ?? '' },
      };
      const long: string[] = [];
      for (const { name, text } of worstBodies(route.body?.schema ?? {})) {
        const body = Buffer.from(text);
        expect(body.length, name).to.be.at.most(BODY_BYTES);
        const send = async () => {
          const { status } = await sendRaw(url, { method: route.method, headers, body });
          expect(status, name).to.equal(400);
        };
        if (await YARDSTICK.isExceededBy((attempts) => longestHold(send, attempts))) {
          long.push(name);
        }
      }
      expect(long).to.deep.equal([]);
    });
  }
});
