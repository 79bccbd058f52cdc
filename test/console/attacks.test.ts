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
import { Site } from '../support/site.ts';

interface Declared {
  method: string;
  path: string;
  operationId: string;
  scope: string | null;
  body: object | null;
}

const EVERY: readonly Declared[] = [...VISITOR_ROUTES, ...MEMBER_ROUTES];
const WRITES = EVERY.filter(({ method }) => method !== 'GET');

/** What only administrators may do. */
const ADMINISTRATIVE = /:admin$/;

describe('the console under attack', () => {
  const suite = useConsole();
  const { call } = suite;
  /** An organization of others, and what in paths is its. */
  let other: Site;
  const ids: Record<string, string | number> = {};
  const tokens: Partial<Record<Role, string>> = {};

  before(async () => {
    other = await Site.create(suite.database, 'Other');
    const location = await other.location('OTHER');
    const asset = await other.asset('OTHER-ASSET');
    const tag = await other.tag({ assetId: asset }, 'E2806894');
    const reader = await other.reader('other', [location]);
    const [plan] = await suite.database.rows<{ id: number }>(
      `insert into plans (org_id, name, media_type, width, height, image, sha256)
       values ($1, 'Other', 'image/png', 1, 1, '\\x00', sha256('x')) returning id`,
      [other.orgId],
    );
    const { userId } = await suite.people.user('other@example.com', { orgId: other.orgId, role: 'viewer' });
    Object.assign(ids, {
      ...{ asset_id: asset, location_id: location, tag_id: tag, reader_id: reader, user_id: userId },
      ...{ plan_id: plan?.id ?? 0, id: other.orgId, key_id: 'x', webhook_id: 1, port: 1, name: 'none' },
      ...{
        alert_id: '0'.repeat(26),
        rejected_id: 1,
        handheld_id: 1,
        invitation_id: 1,
        unknown_tag_id: 'rfid:E2806894',
      },
    });
    for (const role of ['viewer', 'operator', 'admin'] as const) {
      tokens[role] = await suite.as(role);
    }
  });

  const callOf = ({ method, path, body }: Declared, more: Partial<ConsoleCall> = {}): ConsoleCall => ({
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 1)),
    ...(body === null ? {} : { json: {} }),
    ...more,
  });
  const checksum = async (orgId: number) => {
    const tables = await suite.database.rows<{ name: string }>(
      `select distinct table_name as name from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and column_name = 'org_id' and table_type = 'BASE TABLE' order by 1`,
    );
    const sums = await Promise.all(
      tables.map(({ name }) =>
        suite.database.rows(
          `select md5(coalesce(string_agg(each::text, '|' order by each::text), '')) as sum
           from ${name} each where org_id = $1`,
          [orgId],
        ),
      ),
    );
    return JSON.stringify(sums);
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
      const before = await checksum(other.orgId);
      for (const orgId of [other.orgId, 999_999]) {
        const answer = await call(callOf(route, { token: tokens.admin ?? null, orgId }));
        expect([answer.status, answer.body.error.type]).to.deep.equal([403, 'forbidden']);
        expect(answer.text).not.to.include('Other');
      }
      if (route.path.includes('{')) {
        const answer = await call(callOf(route, { token: tokens.admin ?? null }));
        expect(answer.status, `${route.method} ${route.path}: ${answer.text}`).to.be.oneOf([400, 404]);
        expect(answer.text).not.to.match(/OTHER|Other/);
      }
      expect(await checksum(other.orgId)).to.equal(before);
    });

    const refused = (['viewer', 'operator'] as const).filter(
      (role) => (role === 'viewer' && route.method !== 'GET') || ADMINISTRATIVE.test(route.scope ?? ''),
    );
    for (const role of refused) {
      it(`does not let ${role === 'viewer' ? 'a viewer' : 'an operator'} ${route.operationId}`, async () => {
        const before = await checksum(suite.orgId);
        const answer = await call(callOf(route, { token: tokens[role] ?? null }));
        expect([answer.status, answer.body.error.type]).to.deep.equal([403, 'forbidden']);
        expect(answer.body.error.detail).to.include(`Your role, ${role}`);
        expect(await checksum(suite.orgId)).to.equal(before);
      });
    }
  }

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
