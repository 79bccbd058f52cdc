import { expect } from 'chai';
import { SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { ASSET_COLUMNS, type Columns, LOCATION_COLUMNS } from '../../domain/master-data/columns.ts';
import { API_ROUTES } from '../../services/api/routes.ts';
import { GATEWAY_ROUTES } from '../../services/handheld-gateway/routes.ts';
import { type Call, useApi } from '../support/api.ts';
import type { Answer } from '../support/declared-answer.ts';
import { unsaid } from '../support/unsaid-columns.ts';
import { SETTINGS } from '../support/webhooks.ts';

type Written = [
  action: string,
  resource: string,
  key: string | null,
  before: object | null,
  after: object | null,
];

/** A write of a route, made ready. */
interface Write {
  call: Omit<Call, 'method'>;
  /** What it has to log, but for the ids of resources. */
  logs(answer: Answer): Written[];
  /** The same request again changes nothing, or is refused. */
  isRepeatable?: boolean;
}

/** What these routes record happened, and nobody set it up; or nothing is stored. */
const NO_WRITES_OF_PEOPLE = [
  'submitScans',
  'recordSweep',
  'retractScans',
  'testWebhook',
  'tryRule',
  'tryStoredRule',
];

const WRITING = [...API_ROUTES, ...GATEWAY_ROUTES].filter(
  ({ method, operationId }) => method !== 'GET' && !NO_WRITES_OF_PEOPLE.includes(operationId),
);

const FROM = '2026-05-01T08:00:00.000Z';

/** When rules may begin is bounded. */
const VALID = new Date(Date.now() - 3_600_000).toISOString();

describe('every declared route that changes something', () => {
  const api = useApi({ SECRETS_KEY: SETTINGS.keys });
  let key: string;
  before(async () => {
    key = await api.keyWith(SCOPES);
  });

  const WEBHOOK = {
    ...{ name: 'example.com', url: 'https://example.com/hooks', types: null },
    ...{ location_external_key: null, settle_seconds: 0, state: 'on' },
  };
  async function webhook(): Promise<string> {
    const json = { url: WEBHOOK.url };
    const { body } = await api.call({ method: 'POST', path: '/api/v1/webhooks', key, json });
    return `/api/v1/webhooks/${body?.data.id}`;
  }

  const RULE = {
    ...{ kind: 'overdue', name: 'overdue', after_seconds: 300, then_seconds: null },
    ...{ location_external_key: null, hours: null, time_zone: null, asset_external_keys: null },
    ...{ within_location_external_key: null, metadata: [], reader_ids: null, mail_to: [] },
    ...{ reading: null, above: null, below: null, hysteresis: null },
  };
  async function rule(): Promise<string> {
    const json = { kind: 'overdue', after_seconds: 300, valid_from: VALID };
    const { body } = await api.call({ method: 'POST', path: '/api/v1/rules', key, json });
    return `/api/v1/rules/${body?.data.id}`;
  }

  let count = 0;
  const nextKey = () => {
    count += 1;
    return `KEY-${count}`;
  };
  async function make(resource: 'assets' | 'locations', fields: object = {}) {
    const externalKey = nextKey();
    const json = { external_key: externalKey, name: 'before', valid_from: FROM, ...fields };
    const { body } = await api.call({ method: 'POST', path: `/api/v1/${resource}`, key, json });
    return { id: body?.data.id as number, externalKey, tagId: body?.data.tags[0]?.id as number };
  }
  const tag = () => ({ tag_type: 'rfid', value: `E280-${nextKey()}` });
  const created = (columns: Columns, externalKey: string, more: object) => ({
    external_key: externalKey,
    ...unsaid(columns),
    name: 'new',
    valid_from: FROM,
    ...more,
    tags: [],
  });

  const attaching = (resource: 'assets' | 'locations') => async (): Promise<Write> => {
    const { id, externalKey } = await make(resource);
    const json = tag();
    const type = resource.slice(0, -1);
    return {
      call: { path: `/api/v1/${resource}/${id}/tags`, json },
      logs: () => [['attach_tag', type, externalKey, { tags: [] }, { tags: [json] }]],
    };
  };
  const detaching = (resource: 'assets' | 'locations') => async (): Promise<Write> => {
    const attached = tag();
    const { id, externalKey, tagId } = await make(resource, { tags: [attached] });
    const type = resource.slice(0, -1);
    return {
      call: { path: `/api/v1/${resource}/${id}/tags/${tagId}` },
      logs: () => [['detach_tag', type, externalKey, { tags: [attached] }, { tags: [] }]],
    };
  };
  const renaming = (resource: 'assets' | 'locations') => async (): Promise<Write> => {
    const { id, externalKey } = await make(resource);
    const renamed = nextKey();
    const type = resource.slice(0, -1);
    return {
      call: { path: `/api/v1/${resource}/${id}/rename`, json: { external_key: renamed } },
      logs: () => [['rename', type, renamed, { external_key: externalKey }, { external_key: renamed }]],
    };
  };
  const deleting = (resource: 'assets' | 'locations') => async (): Promise<Write> => {
    const tags = [tag(), tag()];
    const { id, externalKey } = await make(resource, { tags });
    const type = resource.slice(0, -1);
    return {
      call: { path: `/api/v1/${resource}/${id}` },
      logs: () => [['delete', type, externalKey, { deleted_at: null, tags }, { deleted_at: TIME, tags: [] }]],
    };
  };

  /** By operation: a route that is not here fails. */
  const WRITES: Record<string, () => Promise<Write>> = {
    createAsset: async () => {
      const externalKey = nextKey();
      return {
        call: {
          path: '/api/v1/assets',
          json: { external_key: externalKey, name: 'new', valid_from: FROM, metadata: { weight: 1.5 } },
        },
        logs: () => [
          [
            'create',
            'asset',
            externalKey,
            null,
            created(ASSET_COLUMNS, externalKey, { metadata: { weight: 1.5 } }),
          ],
        ],
      };
    },
    createLocation: async () => {
      const parent = await make('locations');
      const externalKey = nextKey();
      return {
        call: {
          path: '/api/v1/locations',
          json: { external_key: externalKey, name: 'new', valid_from: FROM, parent_id: parent.id },
        },
        logs: () => [
          [
            'create',
            'location',
            externalKey,
            null,
            created(LOCATION_COLUMNS, externalKey, { parent_external_key: parent.externalKey }),
          ],
        ],
      };
    },
    updateAsset: async () => {
      const { id, externalKey } = await make('assets', { metadata: { a: 1 } });
      return {
        call: {
          path: `/api/v1/assets/${id}`,
          json: { name: 'after', metadata: { b: 2 }, is_active: true },
        },
        logs: () => [
          [
            'update',
            'asset',
            externalKey,
            { name: 'before', metadata: { a: 1 } },
            { name: 'after', metadata: { b: 2 } },
          ],
        ],
        isRepeatable: true,
      };
    },
    updateLocation: async () => {
      const parent = await make('locations');
      const { id, externalKey } = await make('locations');
      return {
        call: { path: `/api/v1/locations/${id}`, json: { valid_to: FROM, parent_id: parent.id } },
        logs: () => [
          [
            'update',
            'location',
            externalKey,
            { valid_to: null, parent_external_key: null },
            { valid_to: FROM, parent_external_key: parent.externalKey },
          ],
        ],
        isRepeatable: true,
      };
    },
    renameAsset: renaming('assets'),
    renameLocation: renaming('locations'),
    deleteAsset: deleting('assets'),
    deleteLocation: deleting('locations'),
    attachAssetTag: attaching('assets'),
    attachLocationTag: attaching('locations'),
    detachAssetTag: detaching('assets'),
    detachLocationTag: detaching('locations'),
    importAssets: async () => {
      const [known, unknown] = [await make('assets'), nextKey()];
      const csv = `external_key,name,valid_from,tags\n${known.externalKey},after,,rfid:${unknown}\n${unknown},new,${FROM},\n`;
      const body = `--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${csv}\r\n--b--\r\n`;
      return {
        call: {
          path: '/api/v1/assets/bulk',
          body,
          headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
        },
        logs: () => [
          [
            'update',
            'asset',
            known.externalKey,
            { name: 'before', tags: [] },
            { name: 'after', tags: [{ tag_type: 'rfid', value: unknown }] },
          ],
          ['create', 'asset', unknown, null, created(ASSET_COLUMNS, unknown, {})],
        ],
        isRepeatable: true,
      };
    },
    writeAssets: async () => {
      const [known, unknown] = [await make('assets'), nextKey()];
      const items = [
        {
          external_key: known.externalKey,
          description: 'after',
          tags: [{ tag_type: 'rfid', value: unknown }],
        },
        { external_key: unknown, name: 'new', valid_from: FROM },
      ];
      return {
        call: { path: '/api/v1/assets/batch', json: { items } },
        logs: () => [
          [
            'update',
            'asset',
            known.externalKey,
            { description: null, tags: [] },
            { description: 'after', tags: [{ tag_type: 'rfid', value: unknown }] },
          ],
          ['create', 'asset', unknown, null, created(ASSET_COLUMNS, unknown, {})],
        ],
        isRepeatable: true,
      };
    },
    writeLocations: async () => {
      const parent = await make('locations');
      const child = await make('locations', { parent_id: parent.id });
      const unknown = nextKey();
      const items = [
        { external_key: unknown, name: 'new', valid_from: FROM, parent_external_key: parent.externalKey },
        { external_key: child.externalKey, parent_external_key: null },
      ];
      return {
        call: { path: '/api/v1/locations/batch', json: { items } },
        logs: () => [
          [
            'update',
            'location',
            child.externalKey,
            { parent_external_key: parent.externalKey },
            { parent_external_key: null },
          ],
          [
            'create',
            'location',
            unknown,
            null,
            created(LOCATION_COLUMNS, unknown, { parent_external_key: parent.externalKey }),
          ],
        ],
        isRepeatable: true,
      };
    },
    createRule: async () => ({
      call: { path: '/api/v1/rules', json: { kind: 'overdue', after_seconds: 300, valid_from: VALID } },
      logs: () => [['create', 'rule', null, null, { ...RULE, valid_from: VALID, ends_at: null }]],
    }),
    updateRule: async () => ({
      call: { path: await rule(), json: { after_seconds: 600, valid_from: VALID } },
      logs: () => [['update', 'rule', null, { after_seconds: 300 }, { after_seconds: 600 }]],
      isRepeatable: true,
    }),
    deleteRule: async () => ({
      call: { path: await rule() },
      logs: () => [
        ['delete', 'rule', null, { ...RULE, valid_from: VALID, ends_at: null }, { ends_at: TIME }],
      ],
    }),
    createWebhook: async () => ({
      call: { path: '/api/v1/webhooks', json: { url: 'https://example.com/hooks', name: 'ERP' } },
      logs: () => [['create', 'webhook', null, null, { ...WEBHOOK, name: 'ERP' }]],
    }),
    updateWebhook: async () => ({
      call: { path: await webhook(), json: { state: 'off', types: ['tagtrail.asset.moved.v1'] } },
      logs: () => [
        [
          'update',
          'webhook',
          null,
          { state: 'on', types: null },
          { state: 'off', types: ['tagtrail.asset.moved.v1'] },
        ],
      ],
      isRepeatable: true,
    }),
    replayWebhook: async () => ({
      call: { path: `${await webhook()}/replay`, json: { after: 0 } },
      logs: () => [['replay', 'webhook', null, { state: 'on' }, { state: 'on', after: 0 }]],
    }),
    deleteWebhook: async () => ({
      call: { path: await webhook() },
      logs: () => [['delete', 'webhook', null, WEBHOOK, null]],
    }),
    issueApiKey: async () => ({
      call: { path: `/api/v1/orgs/${api.orgId}/api-keys`, json: { name: 'new', scopes: ['assets:read'] } },
      logs: () => [
        ['create', 'api_key', null, null, { name: 'new', scopes: ['assets:read'], expires_at: null }],
      ],
    }),
    revokeApiKey: async () => {
      const [, id] = (await api.keyWith(['assets:read'])).split('_');
      return {
        call: { path: `/api/v1/orgs/${api.orgId}/api-keys/${id}` },
        logs: () => [['revoke', 'api_key', null, { revoked_at: null }, { revoked_at: TIME }]],
      };
    },
  };

  for (const { method, operationId } of WRITING) {
    it(`${operationId} logs who changed what, and nothing where nothing changes`, async () => {
      const write = await WRITES[operationId]?.();
      if (write === undefined) {
        throw new Error(`${operationId} needs an example here, or logs no change`);
      }
      const send = () => api.call({ method, key, ...write.call });
      const answer = await send();
      expect(answer.status, answer.text).to.be.within(200, 299);
      const rows = await logged(answer);
      expect(
        rows.map(({ action, resource_type, external_key, before, after }) => [
          action,
          resource_type,
          external_key,
          before,
          after,
        ]),
      ).to.deep.equal(write.logs(answer));
      for (const row of rows) {
        expect(row).to.include({ org_id: api.orgId, actor_type: 'key', actor_id: key.split('_')[1] });
        expect(row.resource_id).to.match(/^\w+$/);
      }
      const again = await send();
      if (write.isRepeatable) {
        expect(again.status).to.equal(200);
        expect(await logged(again)).to.deep.equal([]);
      } else if (again.status >= 400) {
        expect(await logged(again)).to.deep.equal([]);
      }
    });
  }

  it('is an example here', () => {
    expect(WRITING.map(({ operationId }) => operationId)).to.have.members(Object.keys(WRITES));
  });

  it('logs an asset whose key is minted, and tags of one that is created', async () => {
    const tags = [tag(), tag()];
    const answer = await api.call({
      method: 'POST',
      path: '/api/v1/assets',
      key,
      json: { name: 'new', valid_from: FROM, tags },
    });
    const minted = answer.body?.data.external_key;
    const [row] = await logged(answer);
    expect(row).to.deep.include({
      resource_id: String(answer.body?.data.id),
      external_key: minted,
      after: { ...created(ASSET_COLUMNS, minted, {}), tags },
    });
  });

  it('logs nothing of a dry run', async () => {
    const write = await WRITES['importAssets']?.();
    const path = `${write?.call.path}?dry_run=true`;
    const answer = await api.call({ method: 'POST', key, path, ...rest(write?.call) });
    expect(answer.body?.data).to.include({ dry_run: true, created: 1, updated: 1 });
    expect(await logged(answer)).to.deep.equal([]);
  });

  const TIME = 'a time';
  async function logged({ headers }: Answer) {
    const rows = await api.database.rows<{
      org_id: number;
      actor_type: string;
      actor_id: string;
      action: string;
      resource_type: string;
      resource_id: string;
      external_key: string | null;
      before: string | null;
      after: string | null;
    }>('select * from changes where request_id = $1 order by at, id', [headers.get('x-request-id')]);
    const values = (json: string | null) =>
      json === null
        ? null
        : JSON.parse(json, (name, value) =>
            ['deleted_at', 'revoked_at', 'ends_at'].includes(name) && value !== null && Date.parse(value) > 0
              ? TIME
              : value,
          );
    return rows.map((row) => ({ ...row, before: values(row.before), after: values(row.after) }));
  }
});

function rest({ path: _, ...call }: Omit<Call, 'method'> = { path: '' }): Omit<Call, 'method' | 'path'> {
  return call;
}
