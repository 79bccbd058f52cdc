import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Role } from '../../domain/administration/users/roles.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { API_ROUTES } from '../../services/api/routes.ts';
import { startApi } from '../../services/api/start.ts';
import { MEMBER_ROUTES, VISITOR_ROUTES } from '../../services/console/routes.ts';
import { apiConfig } from '../support/api.ts';
import { type ConsoleCall, useConsole } from '../support/console.ts';
import { type Ids, makeNamedRows } from '../support/named-rows.ts';
import { requiredQuery } from '../support/required-query.ts';
import { SETTINGS } from '../support/webhooks.ts';

interface Declared {
  method: string;
  path: string;
  operationId: string;
  scope: string | null;
  query: Parameters<typeof requiredQuery>[0];
  body: object | null;
}

const EVERY: readonly Declared[] = [...VISITOR_ROUTES, ...MEMBER_ROUTES];
const WRITES = EVERY.filter(({ method }) => method !== 'GET');

/** What only administrators may do. */
const ADMINISTRATIVE = /:admin$/;

/** What a route is sent that names a row in its path; each would change that row. */
const BODIES: Readonly<Record<string, object>> = {
  updateAsset: { name: 'seized' },
  renameAsset: { external_key: 'SEIZED' },
  updateLocation: { name: 'seized' },
  renameLocation: { external_key: 'SEIZED' },
  attachAssetTag: { tag_type: 'rfid', value: 'SEIZED' },
  attachLocationTag: { tag_type: 'rfid', value: 'SEIZED' },
  issueApiKey: { name: 'seized' },
  updateRule: { name: 'seized' },
  tryStoredRule: { after_seconds: 1 },
  updateWebhook: { name: 'seized' },
  replayWebhook: { after: 0 },
  updatePlan: { name: 'seized' },
  addNote: { note: 'seized' },
  updateUser: { is_disabled: true },
  ignoreUnknownTag: {},
  dismissRejected: {},
  replayRejected: {},
  updateReader: { name: 'seized' },
  setAntenna: { enabled: false },
  addAntenna: { antenna: 'seized' },
  updateFormat: { source: '{}' },
  updateHandheld: { name: 'seized' },
};

/** Text in the rows of others. */
const SECRET = 'OTHERS';

describe('the console under attack', () => {
  const suite = useConsole({ SECRETS_KEY: SETTINGS.keys });
  const { call } = suite;
  /** An organization of others, and the own one, with what paths name. */
  let other: { orgId: number; ids: Ids };
  let own: { orgId: number; ids: Ids };
  const tokens: Partial<Record<Role, string>> = {};
  /** Asks for a checksum of what an organization has in each table. */
  let sums: string;

  before(async () => {
    const [all] = await suite.database.rows<{ sums: string }>(
      `select string_agg(format(
         $$select %L, md5(string_agg(each::text, '|' order by each::text)) from %I each where org_id = $1$$, name, name
       ), ' union all ') as sums from (
         select distinct table_name as name from information_schema.columns
         join information_schema.tables using (table_schema, table_name)
         where table_schema = 'public' and column_name = 'org_id' and table_type = 'BASE TABLE'
       ) tables`,
    );
    sums = all?.sums ?? '';
    other = await makeNamedRows(suite.database, suite.people, SECRET);
    own = await makeNamedRows(suite.database, suite.people, 'OWN');
    for (const role of ['viewer', 'operator', 'admin'] as const) {
      tokens[role] = await suite.as(role, own.orgId);
    }
    await remember(other.orgId);
    await remember(own.orgId);
  });

  /** Of a row that others have, unless another is said. */
  const callOf = (route: Declared, more: Partial<ConsoleCall> = {}, { ids } = other): ConsoleCall => ({
    method: route.method,
    path: `${route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      expect(ids).to.have.property(name);
      return encodeURIComponent(ids[name] ?? '');
    })}?${requiredQuery(route.query)}`,
    ...(route.body === null ? {} : { json: bodies()[route.operationId] ?? {} }),
    ...more,
  });
  const bodies = (): Readonly<Record<string, object>> => ({
    ...BODIES,
    attachUnknownTag: { asset_id: own.ids['asset_id'] },
  });
  /** What an organization had when somebody looked last. */
  const known = new Map<number, string>();
  const checksum = async (orgId: number) => JSON.stringify(await suite.database.rows(sums, [orgId]));
  const remember = async (orgId: number) => known.set(orgId, await checksum(orgId));
  const expectUnchanged = async (orgId: number, what = '') => {
    const before = known.get(orgId);
    await remember(orgId);
    expect(known.get(orgId), what).to.equal(before);
  };

  it('has every route under a path of its own, with a scope wherever an organization is asked about', () => {
    expect(EVERY.filter(({ path }) => !path.startsWith('/console/v1/'))).to.deep.equal([]);
    expect(MEMBER_ROUTES.filter(({ scope }) => scope === null)).to.deep.equal([]);
    const weak = MEMBER_ROUTES.filter(
      ({ method, scope }) => method !== 'GET' && !/:(write|admin)$/.test(scope ?? ''),
    );
    expect(weak.map(({ operationId }) => operationId)).to.deep.equal([]);
  });

  for (const route of WRITES) {
    it(`refuses ${route.operationId} without what only its own pages send`, async () => {
      const forged: [string, ConsoleCall['headers']][] = [
        ['no origin', { Origin: null }],
        ['another site', { Origin: 'https://evil.example' }],
        ['a page without an origin', { Origin: 'null' }],
        ['an address that begins the same', { Origin: `${suite.url}.evil.example` }],
        ['no header', { 'X-Tagtrail-Console': null }],
        ['another value', { 'X-Tagtrail-Console': 'true' }],
      ];
      for (const [what, headers = {}] of forged) {
        const answer = await call(callOf(route, { headers }));
        expect([answer.status, answer.body.error.type], what).to.deep.equal([403, 'forbidden']);
        expect(answer.headers.get('access-control-allow-origin'), what).to.equal(null);
      }
    });
  }

  for (const route of MEMBER_ROUTES) {
    it(`asks who it is before ${route.operationId}`, async () => {
      for (const token of [null, 'A'.repeat(43), '', `${tokens.admin}A`]) {
        expect((await call(callOf(route, { token }))).status).to.equal(401);
      }
      const twice = `tagtrail_session=${tokens.admin}; tagtrail_session=${'A'.repeat(43)}`;
      expect((await call(callOf(route, { headers: { Cookie: twice } }))).status).to.equal(401);
      const bearer = { Authorization: `Bearer ${tokens.admin}` };
      expect((await call(callOf(route, { token: null, headers: bearer }))).status).to.equal(401);
    });

    it(`lets nobody into another organization by ${route.operationId}`, async () => {
      for (const orgId of [other.orgId, 999_999]) {
        const answer = await call(callOf(route, { token: tokens.admin ?? null, orgId }));
        expect([answer.status, answer.body.error.type]).to.deep.equal([403, 'forbidden']);
        expect(answer.text).not.to.include(SECRET);
      }
      if (route.path.includes('{')) {
        expect(route.body === null || route.operationId in bodies(), 'what it is sent').to.equal(true);
        const answer = await call(callOf(route, { token: tokens.admin ?? null }));
        expect(answer.status, `${route.method} ${route.path}: ${answer.text}`).to.equal(404);
        expect(answer.text).not.to.include(SECRET);
      }
      await expectUnchanged(other.orgId);
    });

    const refused = (['viewer', 'operator'] as const).filter(
      (role) => (role === 'viewer' && route.method !== 'GET') || ADMINISTRATIVE.test(route.scope ?? ''),
    );
    for (const role of refused) {
      it(`does not let ${role === 'viewer' ? 'a viewer' : 'an operator'} ${route.operationId}`, async () => {
        const answer = await call(callOf(route, { token: tokens[role] ?? null }));
        expect([answer.status, answer.body.error.type]).to.deep.equal([403, 'forbidden']);
        expect(answer.body.error.detail).to.include(`Your role, ${role}`);
        await expectUnchanged(own.orgId);
      });
    }
  }

  it('finds rows of its own by the paths in which those of others are not found', async () => {
    const reading = MEMBER_ROUTES.filter(
      ({ method, path, operationId }) =>
        // A stream, and what has no row of the organization.
        method === 'GET' && path.includes('{') && !['listenToReader', 'getFormat'].includes(operationId),
    );
    expect(reading.length).to.be.above(25);
    for (const route of reading) {
      const answer = await call(callOf(route, { token: tokens.admin ?? null }, own));
      expect(answer.status, `${route.path}: ${answer.text}`).to.equal(200);
    }
  });

  it('takes no row of others that is named in a body', async () => {
    const { ids } = other;
    await remember(own.orgId);
    const naming: [string, string, object][] = [
      ['PATCH', `/locations/${own.ids['location_id']}`, { parent_id: ids['location_id'] }],
      ['PATCH', `/locations/${own.ids['location_id']}`, { parent_external_key: SECRET }],
      ['PATCH', `/readers/${own.ids['reader_id']}/antennas/1`, { location_external_key: SECRET }],
      ['PATCH', `/plans/${own.ids['plan_id']}`, { location_id: ids['location_id'] }],
      ['POST', `/unknown-tags/${own.ids['unknown_tag_id']}/attach`, { asset_id: ids['asset_id'] }],
      ['POST', `/unknown-tags/${own.ids['unknown_tag_id']}/attach`, { location_id: ids['location_id'] }],
      ['PATCH', `/webhooks/${own.ids['webhook_id']}`, { location_external_key: SECRET }],
      ['PATCH', `/rules/${own.ids['rule_id']}`, { location_external_key: SECRET }],
    ];
    for (const [method, path, json] of naming) {
      const answer = await call({ method, path, json, token: tokens.admin ?? null });
      expect(answer.status, `${path}: ${answer.text}`).to.be.within(400, 499);
      expect(answer.text).not.to.include(`${SECRET}-`);
      await expectUnchanged(own.orgId, path);
    }
    await expectUnchanged(other.orgId);
  });

  it('shows text as text: no answer can be taken for a page', async () => {
    const name = '<script>alert(1)</script>';
    const created = await call({ method: 'POST', path: '/assets', json: { name, external_key: 'XSS' } });
    expect(created.status, created.text).to.equal(201);
    for (const { path } of [{ path: '/assets' }, { path: `/assets/${created.body.data.id}` }]) {
      const { headers, text } = await call({ path });
      expect(text).to.include(name);
      expect(headers.get('content-type')).to.match(/^application\/json/);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('cache-control')).to.equal('no-store');
    }
    const missing = await call({ path: `/console/v1/${encodeURIComponent(name)}` });
    expect([missing.status, missing.headers.get('content-type')]).to.deep.equal([404, 'application/json']);
  });

  it('gives pages that nobody frames, and that run its own files only', async () => {
    const appFolder = mkdtempSync(join(tmpdir(), 'tagtrail-console-'));
    writeFileSync(join(appFolder, 'index.html'), '<!doctype html><title>tagtrail</title>');
    const { headers, status } = await fetch(`${await suite.start({}, { appFolder })}/`);
    rmSync(appFolder, { recursive: true });
    expect(status).to.equal(200);
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).to.include.members([
      ...["default-src 'none'", "script-src 'self'", "connect-src 'self'"],
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ]);
    expect(policy?.join()).to.not.include('unsafe');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });

  describe('the public API beside it', () => {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    let api: string;
    before(async () => {
      suite.database.beforeDrop(() => lifecycle.stop());
      const log = pino({ level: 'silent' });
      api = (await startApi(apiConfig(suite.database.url), log, lifecycle)).url;
    });

    for (const route of API_ROUTES) {
      it(`takes no cookie for ${route.operationId}, and gives none`, async () => {
        const { path, method } = callOf(route);
        for (const name of ['tagtrail_session', '__Host-tagtrail_session']) {
          const { status, headers } = await fetch(api + path, {
            method: method ?? 'GET',
            headers: { Cookie: `${name}=${tokens.admin}`, Origin: suite.url, 'X-Tagtrail-Console': '1' },
          });
          expect(status).to.equal(401);
          const given = [...headers.keys()].filter((header) => /^(set-cookie|access-control-)/.test(header));
          expect(given).to.deep.equal([]);
        }
      });
    }
  });
});
