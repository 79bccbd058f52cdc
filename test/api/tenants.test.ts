import { expect } from 'chai';
import { SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { API_ROUTES } from '../../services/api/routes.ts';
import { type Call, useApi } from '../support/api.ts';
import { appendMoves } from '../support/feed-rows.ts';
import { requiredQuery } from '../support/required-query.ts';
import { sealAll } from '../support/seal-all.ts';
import { Site } from '../support/site.ts';
import { storeSweepBy } from '../support/stored-sweep.ts';
import { SETTINGS } from '../support/webhooks.ts';

type ApiRoute = (typeof API_ROUTES)[number];

/** One organization's rows, all of them marked with its name. */
interface Tenant {
  name: string;
  orgId: number;
  key: string;
  /** What stands in a path, by the placeholder's name. */
  ids: Record<string, number | string>;
  /** What stands in a filter that takes an external key. */
  keys: { asset: string; location: string };
}

const RULES = ({ ids, keys }: Tenant) => [
  { kind: 'not_allowed', location_external_key: keys.location },
  { kind: 'overdue', after_seconds: 60, within_location_external_key: keys.location },
  { kind: 'overdue', after_seconds: 60, asset_external_keys: [keys.asset] },
  { kind: 'reader', reader_ids: [ids['reader_id']] },
];

/** What a route with a JSON body is sent, with references to `other`; none of it may come through. */
const BODIES: Record<string, (other: Tenant) => object[]> = {
  createAsset: ({ ids }) => [{ name: 'seized', location_id: ids['location_id'] }],
  updateAsset: () => [{ name: 'seized' }, {}],
  renameAsset: () => [{ external_key: 'SEIZED' }],
  attachAssetTag: () => [{ tag_type: 'rfid', value: 'SEIZED' }],
  writeAssets: ({ keys }) => [{ items: [{ external_key: keys.asset }], all_or_nothing: true }],
  writeLocations: ({ keys }) => [
    { items: [{ external_key: keys.location }], all_or_nothing: true },
    {
      items: [{ external_key: 'SEIZED', name: 'x', parent_external_key: keys.location }],
      all_or_nothing: true,
    },
  ],
  createLocation: ({ ids, keys }) => [
    { name: 'seized', parent_id: ids['location_id'] },
    { name: 'seized', parent_external_key: keys.location },
  ],
  updateLocation: ({ ids, keys }) => [
    { name: 'seized' },
    { parent_id: ids['location_id'] },
    { parent_external_key: keys.location },
  ],
  renameLocation: () => [{ external_key: 'SEIZED' }],
  attachLocationTag: () => [{ tag_type: 'rfid', value: 'SEIZED' }],
  issueApiKey: () => [{ name: 'seized' }],
  createRule: RULES,
  updateRule: ({ keys }) => [{ name: 'seized' }, { location_external_key: keys.location }],
  tryRule: RULES,
  tryStoredRule: ({ keys }) => [{ location_external_key: keys.location }],
  createWebhook: ({ keys }) => [{ url: 'https://example.com/', location_external_key: keys.location }],
  updateWebhook: ({ keys }) => [{ name: 'seized' }, { location_external_key: keys.location }],
  replayWebhook: () => [{ after: 0 }],
};

/** All but the upload, in which nothing can be named that exists. */
const CROSSED = API_ROUTES.filter(({ body }) => body === null || !('receive' in body));

describe('organizations', () => {
  const api = useApi({ SECRETS_KEY: SETTINGS.keys });
  const tenants: Tenant[] = [];
  /** Of both, when somebody looked last. */
  let known: string[];
  /** What has rows of organizations. */
  let tables: { name: string }[];
  const checksums = () => Promise.all(tenants.map(checksum));
  before(async () => {
    tenants.push(await furnish('ours'), await furnish('theirs'));
    tables = await api.database.rows<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'org_id')
       order by relname`,
    );
    expect(tables.length).to.be.above(10);
    known = await checksums();
  });

  for (const [asking, asked] of [
    [0, 1],
    [1, 0],
  ] as const) {
    for (const route of CROSSED) {
      it(`do not meet in ${route.operationId}, asked by ${asking === 0 ? 'the first' : 'the second'}`, async () => {
        const [own, other] = [tenants[asking], tenants[asked]];
        if (own === undefined || other === undefined) {
          throw new Error('there are two');
        }
        const calls = callsOf(route, own, other);
        expect(calls).not.to.deep.equal([]);
        for (const call of calls) {
          const answer = await api.call({ method: route.method, key: own.key, ...call });
          const what = `${route.method} ${call.path} ${JSON.stringify(call.json)}: ${answer.text}`;
          expect(answer.text, what).not.to.include(`secret of ${other.name}`);
          if (call.isOwn) {
            expect(answer.text, what)
              .not.to.include(other.keys.asset)
              .and.not.to.include(other.keys.location);
          }
          const [earlier, now] = [known, await checksums()];
          known = now;
          if (call.isOwn) {
            expect(answer.status, what).to.equal(200);
            expect(answer.text, what).to.match(
              new RegExp(`secret of ${own.name}|${own.keys.asset}|${own.keys.location}`),
            );
          } else if (answer.status === 200) {
            expect(answer.body, what).to.deep.include({ data: [], total_count: 0 });
          } else {
            expect([400, 404], what).to.include(answer.status);
          }
          expect(now, what).to.deep.equal(earlier);
        }
      });
    }
  }

  it('may have the same keys and tags, each its own', async () => {
    const [own, other] = tenants;
    if (own === undefined || other === undefined) {
      throw new Error('there are two');
    }
    const before = await checksum(other);
    const tags = [{ tag_type: 'rfid', value: `secret of ${other.name}` }];
    const create = (path: string, external_key: string) =>
      api.call({ method: 'POST', path, key: own.key, json: { name: 'same', external_key, tags } });
    expect((await create('/api/v1/assets', other.keys.asset)).status).to.equal(201);
    expect(await checksum(other)).to.equal(before);
    const { body } = await create('/api/v1/locations', other.keys.location);
    expect(body?.error?.detail).to.equal(`tag rfid:${tags[0]?.value} already exists`);
  });

  it('are crossed in every route that takes a body', () => {
    const taking = CROSSED.filter(({ body }) => body !== null).map(({ operationId }) => operationId);
    expect(Object.keys(BODIES).sort()).to.deep.equal(taking.sort());
  });

  async function furnish(name: string): Promise<Tenant> {
    const site = await Site.create(api.database, `secret of ${name}`);
    const { orgId } = site;
    const key = await api.keyWith(SCOPES, { orgId });
    const keys = { asset: `${name}-ASSET`, location: `${name}-LOCATION` };
    const location = await site.location(keys.location);
    await site.location(`${name}-BELOW`, location);
    const asset = await site.asset(keys.asset);
    const tag = await site.tag({ assetId: asset }, `secret of ${name}`);
    await site.tag({ locationId: location }, `secret of ${name}, too`);
    const reader = await site.reader(name, [location]);
    await api.database.rows(`update assets set name = $2, description = $2 where org_id = $1`, [
      orgId,
      `secret of ${name}`,
    ]);
    await api.database.rows(`update locations set name = $2, description = $2 where org_id = $1`, [
      orgId,
      `secret of ${name}`,
    ]);
    await api.database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       values ($1, $2, $3, '2020-05-04T08:00:00Z', '2020-05-04T08:00:00Z')`,
      [orgId, asset, location],
    );
    await api.database.rows(
      `insert into location_transitions (org_id, asset_id, location_id, observed_at)
       values ($1, $2, $3, '2020-05-04T08:00:00Z')`,
      [orgId, asset, location],
    );
    await storeSweepBy(
      api.database,
      { orgId, handheld: `secret of ${name}` },
      { id: `secret of ${name}`, locationId: location, endedAt: '2020-05-04T08:00:00Z', found: [asset] },
    );
    await appendMoves(api.database, orgId, [
      {
        assetId: asset,
        locationId: location,
        since: '2026-05-04T08:00:00Z',
        lastSeen: '2026-05-04T08:00:00Z',
      },
    ]);
    await api.database.rows(
      `insert into unsealed_changes (org_id, recorded_at, resource, resource_id, action)
       values ($1, now(), 'asset', $2, 'create'), ($1, now(), 'location', $3, 'create')`,
      [orgId, asset, location],
    );
    await sealAll(api.database.url);
    const [webhook] = await api.database.rows<{ id: number }>(
      `insert into webhooks (org_id, name, url, state) values ($1, $2, 'https://example.com/', 'off') returning id`,
      [orgId, `secret of ${name}`],
    );
    const [rule] = await api.database.rows<{ id: string }>(
      `insert into rules
         (org_id, id, version, valid_from, is_ended, kind, name, location_id, asset_ids, metadata, mail_to)
       values ($1, lpad($5, 26, '0'), 1, now(), false, 'not_allowed', $2, $3, array[$4::integer], '[]', '{}')
       returning id`,
      [orgId, `secret of ${name}`, location, asset, String(orgId)],
    );
    const [alert] = await api.database.rows<{ id: string }>(
      `insert into alerts
         (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at, because)
       values ($1, lpad($5, 26, '0'), $6, now(), $2, 'not_allowed', $4, $3, now(), '{}')
       returning id`,
      [orgId, `secret of ${name}`, location, asset, String(orgId), rule?.id],
    );
    const ids = {
      asset_id: asset,
      location_id: location,
      tag_id: tag,
      id: orgId,
      key_id: String(key.split('_')[1]),
      webhook_id: webhook?.id ?? 0,
      reader_id: reader,
      rule_id: rule?.id ?? '',
      alert_id: alert?.id ?? '',
    };
    return { name, orgId, key, ids, keys };
  }

  /** Of all rows of an organization, but for when its keys were last used. */
  async function checksum({ orgId }: Tenant): Promise<string> {
    const sums = tables.map(
      ({ name }) =>
        `select '${name}' as of, (to_jsonb(t) - 'last_used_at')::text as row from ${name} t where org_id = $1`,
    );
    const [sum] = await api.database.rows<{ md5: string }>(
      `select md5(string_agg(of || row, '|' order by of, row)) from (
         ${sums.join(' union all ')}
         union all select 'organizations', to_jsonb(t)::text from organizations t where id = $1
       ) rows`,
      [orgId],
    );
    return String(sum?.md5);
  }
});

/** Everything a route can be asked with ids, keys and texts of another organization. */
function callsOf(route: ApiRoute, own: Tenant, other: Tenant): (Call & { isOwn: boolean })[] {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const crossed = choices(names).filter((choice) => choice.length > 0);
  const paths = crossed.map((foreign) =>
    route.path.replace(/\{(\w+)\}/g, (_, name) => String((foreign.includes(name) ? other : own).ids[name])),
  );
  const ownPath = route.path.replace(/\{(\w+)\}/g, (_, name) => String(own.ids[name]));
  if (route.body !== null) {
    const bodies = BODIES[route.operationId]?.(other) ?? [];
    const referring = bodies.filter(
      (body) => 'items' in body || (/_id|_key/.test(Object.keys(body).join()) && !('external_key' in body)),
    );
    return [
      ...paths.flatMap((path) => bodies.map((json) => ({ path, json, isOwn: false }))),
      ...referring.map((json) => ({ path: ownPath, json, isOwn: false })),
    ];
  }
  const filters = route.method === 'GET' ? filtersOf(route, other) : [];
  const required = requiredQuery(route.query);
  return [
    ...paths.map((path) => ({ path, isOwn: false })),
    ...filters.map((filter) => ({ path: `${ownPath}?${required}${filter}`, isOwn: false })),
    // What it is for, so that this test is known to look where something would be seen.
    ...(route.method === 'GET' && SHOWING.has(route.operationId)
      ? [{ path: `${ownPath}?${required}`, isOwn: true }]
      : []),
  ];
}

/** Reads that show names, descriptions, tags or keys. */
const SHOWING = new Set([
  'listAssets',
  'getAsset',
  'listLocations',
  'listMasterDataChanges',
  'getLocation',
  'listLocationChildren',
  'listLocationDescendants',
  'getOwnOrganization',
  'listMoves',
  'listAlerts',
  'getAlert',
  'listRules',
  'getRule',
  'listWebhooks',
  'getWebhook',
  'reportPositionsAt',
  'reportStays',
  'reportDwell',
  'reportSweeps',
]);

function filtersOf({ query, operationId }: ApiRoute, other: Tenant): string[] {
  const ofLocations = operationId === 'listLocations';
  const values: Record<string, number | string | undefined> = {
    id: other.ids['location_id'],
    asset_id: other.ids['asset_id'],
    location_id: other.ids['location_id'],
    parent_id: other.ids['location_id'],
    // Both ends of a trip are named, and the rows are those of assets.
    from_location_id: `${other.ids['location_id']}&to_location_id=${other.ids['location_id']}&group_by=asset`,
    external_key: ofLocations ? other.keys.location : other.keys.asset,
    asset_external_key: other.keys.asset,
    location_external_key: other.keys.location,
    parent_external_key: other.keys.location,
    q: encodeURIComponent(`secret of ${other.name}`),
  };
  return Object.keys(query.parameters)
    .filter((name) => values[name] !== undefined)
    .flatMap((name) => [
      `${name}=${values[name]}`,
      ...(Object.hasOwn(query.parameters, 'include_deleted')
        ? [`${name}=${values[name]}&include_deleted=true`]
        : []),
    ]);
}

/** Every choice of some of the names, and of none. */
function choices([name, ...others]: readonly string[]): string[][] {
  const rest = name === undefined ? [[]] : choices(others);
  return name === undefined ? rest : [...rest, ...rest.map((choice) => [name, ...choice])];
}
